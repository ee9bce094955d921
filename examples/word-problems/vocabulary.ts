export interface Person {
  name: string;
  pronouns: 'he' | 'she';
}

const HE = `Aaron Ben Carlos Darius Emil Farid Gus Hiro Ivan Jonas Kofi Leo Mateo Nils Omar
  Pablo Quinn Rohan Samir Theo Umar Viktor Wes Yusuf Zach Anton Bruno Cyrus Dev Eli`.split(/\s+/);
const SHE = `Ada Bianca Chloe Dalia Esme Fiona Greta Hana Ines Jada Keiko Lena Mira Nadia Olive
  Priya Rosa Selma Tara Uma Vera Willa Ximena Yara Zoe Amina Beth Clara Dora Elif`.split(/\s+/);

export const PEOPLE: readonly Person[] = [
  ...HE.map((name): Person => ({ name, pronouns: 'he' })),
  ...SHE.map((name): Person => ({ name, pronouns: 'she' })),
];

/** Word lists by slot name. Nouns of things are plural. */
export const WORDS: Readonly<Record<string, readonly string[]>> = {
  fruit: ['apples', 'pears', 'plums', 'peaches', 'oranges', 'lemons', 'kiwis', 'apricots', 'figs'],
  vegetable: ['carrots', 'onions', 'potatoes', 'beets', 'turnips', 'cabbages', 'leeks'],
  toy: ['marbles', 'stickers', 'kites', 'toy cars', 'puzzles', 'yo-yos', 'dominoes', 'trading cards'],
  stationery: ['pencils', 'crayons', 'erasers', 'rulers', 'notebooks', 'pens', 'markers'],
  animal: ['ducks', 'goats', 'sheep', 'rabbits', 'hens', 'ponies', 'geese', 'cows'],
  sweet: ['cookies', 'muffins', 'cupcakes', 'brownies', 'tarts', 'biscuits', 'pretzels'],
  flower: ['tulips', 'roses', 'daisies', 'lilies', 'sunflowers', 'poppies', 'orchids'],
  craft: ['beads', 'buttons', 'shells', 'feathers', 'corks', 'pebbles', 'acorns'],
  container: ['boxes', 'baskets', 'crates', 'bags', 'trays', 'bins', 'sacks'],
  vehicle: ['buses', 'vans', 'trucks', 'boats', 'trams', 'wagons'],
  tool: ['hammers', 'brushes', 'shovels', 'ladders', 'buckets', 'rakes'],
  clothes: ['shirts', 'scarves', 'hats', 'socks', 'jackets', 'mittens'],
  colour: ['red', 'blue', 'green', 'yellow', 'purple', 'white', 'brown', 'black'],
  place: ['library', 'museum', 'bakery', 'market', 'theater', 'harbor', 'station', 'gym'],
  day: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  relative: ['aunt', 'uncle', 'cousin', 'neighbor', 'grandmother', 'teacher'],
};
