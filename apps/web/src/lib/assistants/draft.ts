import type { Assistant, AssistantMetadata, ToolEntry } from '@lamb/contract';

/** An assistant as it stands in a form. */
export interface Draft {
  name: string;
  description: string;
  system_prompt: string;
  prompt_template: string;
  metadata: AssistantMetadata;
}

/** An assistant that nothing was entered for yet. */
export function emptyDraft(type: 'classic' | 'multi_tool'): Draft {
  return {
    name: '',
    description: '',
    system_prompt: '',
    prompt_template: type === 'classic' ? '{context}\n\n{user_input}' : '{user_input}',
    metadata: {
      _format_version: 2,
      assistant_type: type,
      prompt_processor: type === 'classic' ? 'simple_augment' : 'multi_augment',
      connector: 'openai',
      llm: '',
      capabilities: { vision: false, image_generation: false },
      verbose: false,
      tools: [],
    },
  };
}

/** What a form begins with. */
export function toDraft({ name, description, system_prompt, prompt_template, metadata }: Assistant): Draft {
  return structuredClone({ name, description, system_prompt, prompt_template, metadata });
}

/** A new entry for a tool that gathers context; passages are numbered, so that answers can be checked. */
export function contextEntry(type: string, placeholder: string): ToolEntry {
  return {
    type,
    mode: 'context',
    enabled: true,
    placeholder,
    config: type === 'simple_rag' ? { collections: [], top_k: 3, citations: true } : {},
  };
}
