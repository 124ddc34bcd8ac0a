export { extractDocument, type ExtractionRequest } from './extract/extract-document.ts';
export type { Block, ExtractedDocument } from './extract/extracted-document.ts';
export { ExtractionFailure, type ExtractionFailureCode } from './extract/extraction-failure.ts';
export type { ExtractionLimits } from './extract/extraction-limits.ts';
