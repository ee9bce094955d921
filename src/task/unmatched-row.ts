/**
 * The first row from above that finds no column of its own among those it matches, −1 where every row has one. Augmenting paths (Kuhn): pairing
 * greedily, a row could take the only partner of another. `isMatch` may be asked several times about one pair.
 */
export function unmatchedRow(rows: number, columns: number, isMatch: (row: number, column: number) => boolean): number {
  const rowOfColumn = new Map<number, number>();
  const place = (row: number, tried: Set<number>): boolean => {
    for (let column = 0; column < columns; column++) {
      if (tried.has(column) || !isMatch(row, column)) continue;
      tried.add(column);
      const holder = rowOfColumn.get(column);
      if (holder !== undefined && !place(holder, tried)) continue;
      rowOfColumn.set(column, row);
      return true;
    }
    return false;
  };
  for (let row = 0; row < rows; row++) if (!place(row, new Set())) return row;
  return -1;
}
