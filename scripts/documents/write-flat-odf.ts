import type { Part } from './content.ts';

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const namespaces = ['office', 'style', 'text', 'table', 'presentation']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .concat(
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"',
    'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"',
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"',
    'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  )
  .join(' ');

const wrap = (kind: string, body: string, { title = '', styles = '', automatic = '', masters = '' } = {}) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${namespaces} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${kind}">
<office:meta><dc:title>${escapeXml(title)}</dc:title></office:meta>
<office:styles>${styles}</office:styles>
<office:automatic-styles>${automatic}</office:automatic-styles>
<office:master-styles>${masters}</office:master-styles>
<office:body><office:${kind}>
${body}
</office:${kind}></office:body>
</office:document>
`;

const paragraphs = (texts: string[], attributes = '') =>
  texts.map((text) => `<text:p${attributes}>${escapeXml(text)}</text:p>`).join('');

const writeTable = (name: string, rows: string[][]) =>
  `<table:table table:name="${escapeXml(name)}"><table:table-column table:number-columns-repeated="${rows[0]?.length ?? 1}"/>` +
  rows
    .map(
      (cells) =>
        `<table:table-row>${cells.map((cell) => `<table:table-cell office:value-type="string">${paragraphs([cell])}</table:table-cell>`).join('')}</table:table-row>`,
    )
    .join('') +
  '</table:table>';

function writePart(part: Part): string {
  switch (part.kind) {
    case 'heading': {
      const style = part.newPage === true ? `Break_${part.level}` : `Heading_20_${part.level}`;
      return `<text:h text:style-name="${style}" text:outline-level="${part.level}">${escapeXml(part.text)}</text:h>`;
    }
    case 'paragraph':
      return paragraphs([part.text], ' text:style-name="Standard"');
    case 'list':
      return `<text:list>${part.items.map((item) => `<text:list-item>${paragraphs([item])}</text:list-item>`).join('')}</text:list>`;
    case 'table':
      return writeTable('Measurements', part.rows);
  }
}

/** A text document that LibreOffice Writer opens. */
export function writeFlatText({ title, parts }: { title: string; parts: Part[] }): string {
  const levels = [1, 2, 3];
  const sizes = ['22pt', '16pt', '13pt'];
  const styles =
    '<style:style style:name="Standard" style:family="paragraph"><style:paragraph-properties fo:margin-bottom="0.2cm"/><style:text-properties fo:font-size="11pt"/></style:style>' +
    levels
      .map(
        (level, index) =>
          `<style:style style:name="Heading_20_${level}" style:display-name="Heading ${level}" style:family="paragraph" style:parent-style-name="Standard" style:default-outline-level="${level}"><style:text-properties fo:font-size="${sizes[index] ?? '12pt'}" fo:font-weight="bold"/></style:style>`,
      )
      .join('');
  const automatic = levels
    .map(
      (level) =>
        `<style:style style:name="Break_${level}" style:family="paragraph" style:parent-style-name="Heading_20_${level}"><style:paragraph-properties fo:break-before="page"/></style:style>`,
    )
    .join('');
  return wrap('text', parts.map(writePart).join('\n'), { title, styles, automatic });
}

/** A presentation that LibreOffice Impress opens. */
export function writeFlatPresentation(slides: { title: string; points: string[]; notes: string }[]): string {
  const frame = (kind: string, y: number, height: number, content: string) =>
    `<draw:frame presentation:style-name="Plain-${kind}" presentation:class="${kind}" svg:x="2cm" svg:y="${y}cm" svg:width="24cm" svg:height="${height}cm"><draw:text-box>${content}</draw:text-box></draw:frame>`;
  const pages = slides.map(
    ({ title, points, notes }, index) =>
      `<draw:page draw:name="page${index + 1}" draw:master-page-name="Plain">` +
      frame('title', 1, 3, paragraphs([title])) +
      frame('outline', 5, 9, paragraphs(points)) +
      `<presentation:notes>${frame('notes', 14, 10, paragraphs([notes]))}</presentation:notes></draw:page>`,
  );
  // Only what the master page has a place for becomes a title or an outline of the slide.
  const styles = ['title', 'outline1', 'outline', 'notes']
    .map((kind) => `<style:style style:name="Plain-${kind}" style:family="presentation"/>`)
    .join('');
  const layout =
    '<style:page-layout style:name="Wide"><style:page-layout-properties fo:page-width="28cm" fo:page-height="15.75cm"/></style:page-layout>';
  return wrap('presentation', pages.join('\n'), {
    title: slides[0]?.title ?? '',
    styles,
    automatic: layout,
    masters: `<style:master-page style:name="Plain" style:page-layout-name="Wide">${frame('title', 1, 3, '')}${frame('outline', 5, 9, '')}</style:master-page>`,
  });
}

/** A workbook that LibreOffice Calc opens. */
export function writeFlatSpreadsheet(sheets: { name: string; rows: string[][] }[]): string {
  return wrap('spreadsheet', sheets.map(({ name, rows }) => writeTable(name, rows)).join('\n'));
}
