import { describe, expect, it } from 'vitest';
import { passageIndex } from './passage-index.ts';

const said = (content: string) => [{ role: 'user' as const, content }];

describe('the passage index', () => {
  it('finds passages by the words of a question, the best first, and nothing without common words', () => {
    const index = passageIndex();
    index.add(said('the key lies under the mat'));
    index.add(said('the key to the shed key box lies in the key drawer'));
    expect(index.find('where is the shed key?', 1)).toEqual(['the key to the shed key box lies in the key drawer']);
    expect(index.find('an entirely other matter', 3)).toEqual([]);
    expect(index.find('"; DROP TABLE passage; -- key', 3)).toHaveLength(2);
    index.close();
  });

  it('of one episode holds nothing of those before it, and ranks as if there had been none', () => {
    const texts = ['red door, blue key', 'red door, red key', 'green door'];
    const fill = () => {
      const index = passageIndex();
      for (const text of texts) index.add(said(text));
      return index;
    };
    const first = fill();
    const found = first.find('red key', 9);
    first.add(said('a red herring that only the first one knows, key or not'));
    first.close();
    first.close();
    const second = fill();
    expect(second.find('red key', 9)).toEqual(found);
    expect(second.find('herring', 9)).toEqual([]);
    second.close();
  });

  it('keeps episodes apart that run side by side', () => {
    const [one, two] = [passageIndex(), passageIndex()];
    one.add(said('the code is 7'));
    two.add(said('the code is 9'));
    expect([one.find('code', 9), two.find('code', 9)]).toEqual([['the code is 7'], ['the code is 9']]);
    one.close();
    two.close();
  });
});
