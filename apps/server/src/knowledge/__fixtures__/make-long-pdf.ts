import { constants, deflateRawSync } from 'node:zlib';

/** A PDF whose pages have these contents. */
function makePdf(pages: readonly { readonly dictionary: string; readonly content: Buffer }[]): Buffer {
  const parts: Buffer[] = [];
  const offsets: number[] = [];
  let length = 0;
  const put = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  const add = (number: number, ...body: (string | Buffer)[]): void => {
    offsets[number] = length;
    const pieces = [`${String(number)} 0 obj\n`, ...body, '\nendobj\n'];
    for (const piece of pieces) put(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
  };
  put(Buffer.from('%PDF-1.7\n'));
  add(1, '<</Type/Catalog/Pages 2 0 R>>');
  const kids = pages.map((_, index) => `${String(4 + 2 * index)} 0 R`).join(' ');
  add(2, `<</Type/Pages/Count ${String(pages.length)}/Kids[${kids}]>>`);
  add(3, '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>');
  for (const [index, { dictionary, content }] of pages.entries()) {
    const page = 4 + 2 * index;
    const look = '/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>';
    add(page, `<</Type/Page/Parent 2 0 R${look}/Contents ${String(page + 1)} 0 R>>`);
    add(page + 1, `<</Length ${String(content.length)}${dictionary}>>stream\n`, content, '\nendstream');
  }
  const table = length;
  const lines = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const head = `xref\n0 ${String(offsets.length)}\n0000000000 65535 f \n`;
  const end = `trailer<</Size ${String(offsets.length)}/Root 1 0 R>>\nstartxref\n${String(table)}\n%%EOF`;
  put(Buffer.from(head + lines.join('') + end, 'latin1'));
  return Buffer.concat(parts);
}

/** A PDF of so many pages, each with a heading and so many lines. */
export function makeLongPdf(pages: number, lines: number): Buffer {
  return makePdf(
    Array.from({ length: pages }, (_, page) => {
      const below = Array.from(
        { length: lines },
        (_each, line) =>
          `0 -14 Td (On page ${String(page)} line ${String(line)} tells of case ${String(page * lines + line)}.) Tj`,
      );
      const text = `BT /F1 18 Tf 72 800 Td (Chapter ${String(page)}) Tj /F1 9 Tf 0 -16 Td ${below.join(' ')} ET`;
      return { dictionary: '', content: Buffer.from(text, 'latin1') };
    }),
  );
}

/** A PDF of one page, whose content unpacks to so many megabytes. */
export function makePdfBomb(megabytes: number): Buffer {
  const blanks = deflateRawSync(Buffer.alloc(2 ** 20, ' '), { finishFlush: constants.Z_FULL_FLUSH });
  const zlibHead = Buffer.from([0x78, 0x9c]);
  const end = Buffer.from([0x03, 0x00]);
  const content = Buffer.concat([zlibHead, ...Array.from({ length: megabytes }, () => blanks), end]);
  return makePdf([{ dictionary: '/Filter/FlateDecode', content }]);
}
