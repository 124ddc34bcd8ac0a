/** Turns rows into CSV that a spreadsheet reads as text and numbers, never as formulas. */
export function toCsv(header: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  // The mark at the beginning tells spreadsheets that it is UTF-8.
  return `\uFEFF${[header, ...rows].map((row) => row.map(toCell).join(',')).join('\r\n')}\r\n`;
}

function toCell(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const inert = /^[\s\p{Cf}]*[=+\-@\t\r＝＋－＠]/u.test(text) ? `'${text}` : text;
  return `"${inert.replaceAll('"', '""')}"`;
}
