interface Place {
  readonly row: number;
  readonly column: number;
}

/** Where a key leads within a grid, as in a spreadsheet; undefined for every other key. */
export function findGridMove(
  { key, ctrlKey, metaKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>,
  { row, column }: Place,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): Place | undefined {
  const isFar = ctrlKey || metaKey;
  const [lastRow, lastColumn] = [rows - 1, columns - 1];
  switch (key) {
    case 'ArrowUp':
      return { row: isFar ? 0 : Math.max(0, row - 1), column };
    case 'ArrowDown':
      return { row: isFar ? lastRow : Math.min(lastRow, row + 1), column };
    case 'ArrowLeft':
      return { row, column: isFar ? 0 : Math.max(0, column - 1) };
    case 'ArrowRight':
      return { row, column: isFar ? lastColumn : Math.min(lastColumn, column + 1) };
    case 'Home':
      return { row: isFar ? 0 : row, column: 0 };
    case 'End':
      return { row: isFar ? lastRow : row, column: lastColumn };
    default:
      return undefined;
  }
}
