import { readMetadata, type LegacyColumns } from '@lamb/contract';
import type { Assistant } from '@lamb/store';

/**
 * The stored metadata with changed RAG columns in it. Older clients change a classic assistant's collections by its
 * columns; what counts is the tool that the columns mirror.
 */
export function applyColumns(assistant: Assistant, { ragCollections, ragTopK }: LegacyColumns): unknown {
  const { metadata } = readMetadata(assistant.metadata, assistant);
  const tool = metadata.tools.find(({ mode }) => mode === 'context');
  if (metadata.assistant_type !== 'classic' || !tool || !('collections' in tool.config)) {
    return assistant.metadata;
  }
  const config = {
    ...tool.config,
    ...(typeof ragCollections === 'string' ? { collections: toCollections(ragCollections) } : {}),
    ...(typeof ragTopK === 'number' ? { top_k: ragTopK } : {}),
  };
  return { ...metadata, tools: metadata.tools.map((entry) => (entry === tool ? { ...tool, config } : entry)) };
}

function toCollections(joined: string): string[] {
  return joined
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}
