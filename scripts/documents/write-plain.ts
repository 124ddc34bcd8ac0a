import type { Part } from './content.ts';

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function writeHtmlPart(part: Part): string {
  switch (part.kind) {
    case 'heading':
      return `<h${part.level}${part.newPage === true ? ' class="new-page"' : ''}>${escapeHtml(part.text)}</h${part.level}>`;
    case 'paragraph':
      return `<p>${escapeHtml(part.text)}</p>`;
    case 'list':
      return `<ul>\n${part.items.map((item) => `<li>${escapeHtml(item)}</li>`).join('\n')}\n</ul>`;
    case 'table': {
      const [head = [], ...body] = part.rows;
      const row = (cells: string[], tag: string) =>
        `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
      return `<table>\n<thead>${row(head, 'th')}</thead>\n<tbody>\n${body.map((cells) => row(cells, 'td')).join('\n')}\n</tbody>\n</table>`;
    }
  }
}

/** The handout as a page of a course's site, with navigation around it that is none of its text. */
export function writeHtml({ title, parts }: { title: string; parts: Part[] }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<style>
body { font: 11pt/1.4 'Liberation Serif', serif; }
h1 { font-size: 22pt; } h2 { font-size: 16pt; } h3 { font-size: 13pt; }
nav, footer { display: none; }
td, th { padding: 2pt 12pt; }
@media print { .new-page { break-before: page; } }
</style>
</head>
<body>
<nav><a href="/">Home</a> <a href="/courses">All courses</a> <a href="/login">Sign in</a></nav>
<main><article>
${parts.map(writeHtmlPart).join('\n')}
</article></main>
<footer>Printed by the school’s own press.</footer>
</body>
</html>
`;
}

export function writeMarkdown({ parts }: { parts: Part[] }): string {
  return `${parts
    .map((part) => {
      switch (part.kind) {
        case 'heading':
          return `${'#'.repeat(part.level)} ${part.text}`;
        case 'paragraph':
          return part.text;
        case 'list':
          return part.items.map((item) => `- ${item}`).join('\n');
        case 'table': {
          const [head = [], ...body] = part.rows;
          return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
        }
      }
    })
    .join('\n\n')}\n`;
}

export function writeText({ parts }: { parts: Part[] }): string {
  return `${parts
    .map((part) => {
      switch (part.kind) {
        case 'heading':
        case 'paragraph':
          return part.text;
        case 'list':
          return part.items.join('\r\n');
        case 'table':
          return part.rows.map((cells) => cells.join(' | ')).join('\r\n');
      }
    })
    .join('\r\n\r\n')}\r\n`;
}

/** The last sheet, with the marks that quoted cells need. */
export function writeCsv(sheets: { rows: string[][] }[]): string {
  const quote = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return `${(sheets.at(-1)?.rows ?? []).map((cells) => cells.map(quote).join(',')).join('\n')}\n`;
}
