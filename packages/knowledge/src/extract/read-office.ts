import { OfficeParser, type OfficeContentNode, type OfficeParserAST, type OfficeParserConfig } from 'officeparser';
import type { Block, ExtractedDocument } from './extracted-document.ts';
import { ExtractionFailure, type ExtractionFailureCode } from './extraction-failure.ts';

const failures: Readonly<Record<string, ExtractionFailureCode>> = {
  PASSWORD_REQUIRED: 'password_protected',
  PASSWORD_INCORRECT: 'password_protected',
  DOCUMENT_DECRYPTION_FAILED: 'password_protected',
  ZIP_ENTRY_COUNT_LIMIT_EXCEEDED: 'too_large_unpacked',
  ZIP_SIZE_LIMIT_EXCEEDED: 'too_large_unpacked',
  XML_ELEMENT_LIMIT_EXCEEDED: 'too_large_unpacked',
  // With these the parser would go on, without the rest of the text.
  TABLE_CELL_LIMIT_EXCEEDED: 'too_large_unpacked',
  REPEATED_CONTENT_LIMIT_EXCEEDED: 'too_large_unpacked',
  PDF_CONTENT_LIMIT_EXCEEDED: 'too_large_unpacked',
  PAGE_LOAD_FAILED: 'corrupt',
};

/** Parses with officeparser; whatever would leave text out is a failure. */
export async function parseOffice(
  content: Buffer,
  fileType: NonNullable<OfficeParserConfig['fileType']>,
  unpackedBytes: number,
  config: OfficeParserConfig = {},
): Promise<OfficeParserAST> {
  let ast: OfficeParserAST;
  try {
    ast = await OfficeParser.parseOffice(content, {
      ...config,
      fileType,
      ignoreComments: true,
      ignoreHeadersAndFooters: true,
      ignoreSlideMasters: true,
      ignorePageGeometry: true,
      decompressionLimits: { maxUncompressedBytes: unpackedBytes },
    });
  } catch (error) {
    const code = (error as { officeIssue?: { code: string } }).officeIssue?.code ?? '';
    throw new ExtractionFailure(failures[code] ?? 'corrupt', { cause: error });
  }
  for (const { code } of ast.warnings) {
    const failure = failures[code];
    if (failure !== undefined) throw new ExtractionFailure(failure);
  }
  return ast;
}

const textOf = (node: OfficeContentNode): string =>
  node.text ?? (node.children ?? []).map(textOf).filter(Boolean).join('\n');

/** The blocks of parsed nodes, in reading order. */
export function* readNodes(nodes: OfficeContentNode[], page?: number): Generator<Block> {
  const onPage = page === undefined ? {} : { page };
  for (const node of nodes) {
    switch (node.type) {
      case 'page':
        yield* readNodes(node.children ?? [], node.metadata?.pageNumber);
        break;
      case 'slide':
        yield* readSlide(node, node.metadata?.slideNumber);
        break;
      case 'sheet':
        yield { kind: 'heading', level: 1, text: node.metadata?.sheetName ?? '' };
        yield* readRows(node.children ?? [], page);
        break;
      case 'heading':
        yield { kind: 'heading', level: node.metadata?.level ?? 1, text: textOf(node), ...onPage };
        break;
      case 'table':
        yield* readRows(node.children ?? [], page);
        break;
      case 'comment':
      case 'header':
      case 'footer':
      case 'slideMaster':
      case 'break':
      case 'image':
        break;
      case 'admonition':
      case 'definitionList':
        yield* readNodes(node.children ?? [], page);
        break;
      default:
        yield { kind: 'paragraph', text: textOf(node), ...onPage };
    }
    if (node.type !== 'slide') yield* readNodes(node.notes ?? [], page);
  }
}

function* readRows(nodes: OfficeContentNode[], page?: number): Generator<Block> {
  let first = true;
  for (const row of nodes) {
    if (row.type !== 'row') {
      yield* readNodes([row], page);
      continue;
    }
    const cells = (row.children ?? []).map((cell) => textOf(cell));
    yield { kind: 'row', cells, ...(first ? { header: true } : {}), ...(page === undefined ? {} : { page }) };
    first = false;
  }
}

/** A slide begins with its title; where it has none, with its first short line. */
function* readSlide(slide: OfficeContentNode, page?: number): Generator<Block> {
  const blocks = [...readNodes(slide.children ?? [], page)].filter(
    (block) => block.kind === 'row' || block.text.trim() !== '',
  );
  const title = blocks.find(({ kind }) => kind === 'heading') ?? blocks[0];
  const rest = blocks.filter((block) => block !== title);
  if (title !== undefined)
    yield title.kind === 'paragraph' && title.text.length <= 120 ? { ...title, kind: 'heading', level: 1 } : title;
  yield* rest;
  yield* readNodes(slide.notes ?? [], page);
}

/** Reads DOCX, PPTX, XLSX and ODT. */
export async function readOffice(
  content: Buffer,
  format: 'docx' | 'pptx' | 'xlsx' | 'odt',
  unpackedBytes: number,
): Promise<ExtractedDocument> {
  const ast = await parseOffice(content, format, unpackedBytes);
  return {
    title: ast.metadata.title ?? null,
    pages: format === 'pptx' ? ast.content.filter(({ type }) => type === 'slide').length : null,
    blocks: [...readNodes(ast.content)],
  };
}
