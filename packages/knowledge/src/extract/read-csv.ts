import type { ExtractedDocument } from './extracted-document.ts';

/** Spreadsheet programs separate by what their language leaves free: the mark most frequent in the first line wins. */
function findDelimiter(text: string): string {
  const line = text.slice(0, text.search(/[\r\n]|$/)).replaceAll(/"[^"]*"/g, '');
  const counts = [',', ';', '\t', '|'].map((mark) => ({ mark, count: line.split(mark).length }));
  return counts.reduce((most, next) => (next.count > most.count ? next : most), { mark: ',', count: 0 }).mark;
}

function* parseRows(text: string, delimiter: string): Generator<string[]> {
  let cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      let from = at + 1;
      for (;;) {
        const quote = text.indexOf('"', from);
        const end = quote === -1 ? text.length : quote;
        cell += text.slice(from, end);
        at = end + 1;
        if (text[at] !== '"') break;
        cell += '"';
        from = at + 1;
      }
    }
    const start = at;
    while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1;
    cells.push(cell + text.slice(start, at));
    if (text[at] === delimiter) {
      at += 1;
      if (at < text.length) continue;
      cells.push('');
    }
    yield cells;
    cells = [];
    at += text.startsWith('\r\n', at) ? 2 : 1;
  }
}

/** Reads a table of comma-separated values; the first row is its header. */
export function readCsv(text: string): ExtractedDocument {
  const unmarked = text.replace(/^\ufeff/, '');
  const blocks: ExtractedDocument['blocks'] = [];
  for (const cells of parseRows(unmarked, findDelimiter(unmarked)))
    if (cells.some((cell) => cell.trim() !== ''))
      blocks.push({ kind: 'row', cells, ...(blocks.length === 0 ? { header: true } : {}) });
  return { title: null, pages: null, blocks };
}
