/**
 * Makes the documents that the tests of packages/knowledge read, with the programs teachers use: a handout printed by
 * Chromium and by LibreOffice and saved as DOCX and ODT, slides, a workbook, and its plain forms. Run it with
 * `node scripts/make-documents.ts` where `chromium` and `soffice` are installed; the results are committed.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { handout, planted, slides, workbook } from './documents/content.ts';
import { writeFlatPresentation, writeFlatSpreadsheet, writeFlatText } from './documents/write-flat-odf.ts';
import { writeCsv, writeHtml, writeMarkdown, writeText } from './documents/write-plain.ts';

const run = promisify(execFile);
const target = join(import.meta.dirname, '../packages/knowledge/src/extract/__fixtures__/documents');
const work = await mkdtemp(join(tmpdir(), 'lamb-documents-'));

async function print(pdf: string, ...flags: string[]): Promise<void> {
  await run('chromium', [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ...[`--user-data-dir=${join(work, 'profile')}`, '--no-pdf-header-footer', ...flags],
    ...[`--print-to-pdf=${join(target, pdf)}`, pathToFileURL(join(work, 'handout.html')).href],
  ]);
}

async function convert(source: string, format: string, name: string): Promise<void> {
  await run('soffice', [
    ...['--headless', `-env:UserInstallation=${pathToFileURL(join(work, 'office')).href}`],
    ...['--convert-to', format, '--outdir', work, join(work, source)],
  ]);
  const made = `${source.replace(/\.\w+$/, '')}.${format.replace(/:.*/, '')}`;
  await copyFile(join(work, made), join(target, name));
}

try {
  await mkdir(target, { recursive: true });
  await writeFile(join(work, 'handout.html'), writeHtml(handout));
  await writeFile(join(work, 'handout.fodt'), writeFlatText(handout));
  await writeFile(join(work, 'slides.fodp'), writeFlatPresentation(slides));
  await writeFile(join(work, 'workbook.fods'), writeFlatSpreadsheet(workbook));

  await print('chromium.pdf');
  await print('chromium-untagged.pdf', '--disable-pdf-tagging');
  await convert('handout.fodt', 'pdf', 'libreoffice.pdf');
  await convert('handout.fodt', 'docx', 'handout.docx');
  await convert('handout.fodt', 'odt', 'handout.odt');
  await convert('slides.fodp', 'pptx', 'slides.pptx');
  await convert('workbook.fods', 'xlsx', 'workbook.xlsx');
  const locked = { title: 'Locked', parts: handout.parts.slice(0, 2) };
  await writeFile(join(work, 'locked.fodt'), writeFlatText(locked));
  const password = {
    EncryptFile: { type: 'boolean', value: 'true' },
    DocumentOpenPassword: { type: 'string', value: 'x' },
  };
  await convert('locked.fodt', `pdf:writer_pdf_Export:${JSON.stringify(password)}`, 'encrypted.pdf');

  await writeFile(join(target, 'handout.html'), writeHtml(handout));
  await writeFile(join(target, 'handout.md'), writeMarkdown(handout));
  await writeFile(join(target, 'handout.txt'), writeText(handout));
  await writeFile(join(target, 'measurements.csv'), writeCsv(workbook));
  await writeFile(join(target, 'planted.json'), `${JSON.stringify(planted, null, 2)}\n`);
} finally {
  await rm(work, { recursive: true, force: true });
}
