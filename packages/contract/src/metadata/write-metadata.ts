import type { AssistantMetadata } from './assistant-metadata.ts';

export interface WrittenMetadata {
  /** The JSON text for the `metadata` column. */
  readonly metadata: string;
  /** Classic settings mirrored into the columns where older installations look for them. */
  readonly ragCollections: string;
  readonly ragTopK: number;
}

/** Writes metadata in today's one shape; a classic assistant also carries the classic keys, so that an older installation can import it. */
export function writeMetadata(metadata: AssistantMetadata): WrittenMetadata {
  const tool =
    metadata.assistant_type === 'classic' ? metadata.tools.find((entry) => entry.mode === 'context') : undefined;
  const collections = tool?.config['collections'];
  const topK = tool?.config['top_k'];
  return {
    metadata: JSON.stringify(metadata.assistant_type === 'classic' ? { ...metadata, ...classicKeys(tool) } : metadata),
    ragCollections: Array.isArray(collections) ? collections.join(',') : '',
    ragTopK: typeof topK === 'number' ? topK : 3,
  };
}

function classicKeys(tool: AssistantMetadata['tools'][number] | undefined): Record<string, unknown> {
  if (!tool) return { rag_processor: 'no_rag' };
  const { rubric_id, format, file_path } = tool.config;
  return {
    rag_processor: tool.type,
    ...(rubric_id === undefined ? {} : { rubric_id, rubric_format: format ?? 'markdown' }),
    ...(file_path === undefined ? {} : { file_path }),
  };
}
