import type { AssistantMetadata } from './assistant-metadata.ts';

/**
 * Makes the metadata of a classic assistant that of a multi-tool one; one that is multi-tool already stays as it is. The
 * template needs no change, because the tool goes on filling `{context}`, and unknown keys survive.
 */
export function convertMetadata(metadata: AssistantMetadata): AssistantMetadata {
  if (metadata.assistant_type === 'multi_tool') return metadata;
  const { prompt_processor: processor, tools } = metadata;
  const filling = tools.find(({ mode, enabled }) => mode === 'context' && enabled);
  return {
    ...metadata,
    assistant_type: 'multi_tool',
    prompt_processor: processor === 'simple_augment' ? 'multi_augment' : processor,
    // What was a rule of classic assistants is now said: any other tool would fill a placeholder of its own.
    tools: tools.map((entry) => (entry === filling ? { ...entry, placeholder: 'context' } : entry)),
  };
}
