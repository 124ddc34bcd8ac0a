import { readMetadata } from '@lamb/contract';
import type { AssistantSource } from '../compile-plan.ts';

interface MadeAssistant {
  readonly system?: string;
  readonly template?: string;
  readonly tools?: readonly Record<string, unknown>[];
  readonly metadata?: Record<string, unknown>;
}

/** A multi-tool assistant, its metadata read as from the database; entries are enabled context tools unless they say otherwise. */
export function makeAssistant(options: MadeAssistant = {}): AssistantSource {
  const { system = '', template = '{user_input}', tools = [], metadata } = options;
  const document = {
    assistant_type: 'multi_tool',
    connector: 'scripted',
    llm: 'model-1',
    tools: tools.map((entry) => ({ mode: 'context', enabled: true, config: {}, ...entry })),
    ...metadata,
  };
  return {
    id: 7,
    systemPrompt: system,
    promptTemplate: template,
    metadata: readMetadata(document).metadata,
  };
}
