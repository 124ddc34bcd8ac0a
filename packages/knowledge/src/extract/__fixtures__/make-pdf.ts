/** A PDF of our own making: each stream is the content of one page. */
export function makePdf(streams: { dictionary?: string; content: Buffer }[]): Buffer {
  const parts: Buffer[] = [];
  const offsets: number[] = [];
  let length = 0;
  const put = (part: Buffer | string) => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    parts.push(bytes);
    length += bytes.length;
  };
  const open = (number: number) => {
    offsets[number] = length;
    put(`${number} 0 obj\n`);
  };
  const object = (number: number, body: string) => {
    open(number);
    put(`${body}\nendobj\n`);
  };
  put('%PDF-1.7\n');
  object(1, '<</Type/Catalog/Pages 2 0 R>>');
  object(
    2,
    `<</Type/Pages/Count ${streams.length}/Kids[${streams.map((_, index) => `${4 + 2 * index} 0 R`).join(' ')}]>>`,
  );
  object(3, '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>');
  for (const [index, { dictionary = '', content }] of streams.entries()) {
    const page = 4 + 2 * index;
    const resources = '/Resources<</Font<</F1 3 0 R>>>>';
    object(page, `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]${resources}/Contents ${page + 1} 0 R>>`);
    open(page + 1);
    put(`<</Length ${content.length}${dictionary}>>stream\n`);
    put(content);
    put('\nendstream\nendobj\n');
  }
  const table = length;
  put(`xref\n0 ${offsets.length}\n0000000000 65535 f \n`);
  for (const offset of offsets.slice(1)) put(`${String(offset).padStart(10, '0')} 00000 n \n`);
  put(`trailer<</Size ${offsets.length}/Root 1 0 R>>\nstartxref\n${table}\n%%EOF`);
  return Buffer.concat(parts);
}

/** The content of a page: a heading, and lines below it. */
export function makePageContent(heading: string, lines: string[]): Buffer {
  const below = lines.map((line) => `0 -14 Td (${line}) Tj`).join(' ');
  return Buffer.from(`BT /F1 18 Tf 72 760 Td (${heading}) Tj /F1 11 Tf 0 -16 Td ${below} ET`, 'latin1');
}
