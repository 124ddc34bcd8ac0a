import { defineTool, type ToolHost, type ToolResult } from '@lamb/plugin-kit';
import { z } from 'zod';

const TIMEOUT_MS = 60_000;
const MAX_QUERY_CHARS = 20_000;
const functionName = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

const AssistantId = z.preprocess(
  (id) => (typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id),
  z.int('An assistant’s id is a whole number; the list of assistants shows it.').min(1),
);

/** Asks another assistant: what it answers goes into the prompt, or to the model that called it. */
export const assistant = defineTool({
  name: 'assistant',
  version: '1.0',
  category: 'assistant',
  title: 'Another assistant',
  description:
    'Asks another assistant. It must be yours, shared with you or published in your organisation, and may not use functions or other assistants itself.',
  config: z.object({
    assistant_id: AssistantId.meta({
      title: 'Assistant',
      description: 'The assistant to ask, by its id.',
      'x-widget': 'assistant',
    }),
    name: z.string().trim().max(100).optional().meta({
      title: 'Name',
      description: 'What the model calls it: letters, digits, _ and -. Anything else is only shown in the description.',
      'x-mode': 'function',
    }),
    description: z.string().trim().max(1000).optional().meta({
      title: 'Description',
      description: 'What it is good for; the model reads this to decide when to ask it.',
      'x-widget': 'textarea',
      'x-mode': 'function',
    }),
  }),
  targetAssistant: ({ config }) => config.assistant_id,
  context: {
    placeholder: 'assistant',
    timeoutMs: TIMEOUT_MS,
    run: ({ config, query, host, signal }) => ask(config.assistant_id, query, host, signal),
  },
  function: {
    name: ({ config }) =>
      functionName.test(config.name ?? '') ? (config.name ?? '') : `call_assistant_${String(config.assistant_id)}`,
    description: ({ config }) => describe(config),
    input: z.object({
      query: z
        .string()
        .trim()
        .min(1)
        .max(MAX_QUERY_CHARS)
        .meta({ description: 'The question, with all that is needed to answer it: it sees nothing else.' }),
    }),
    effect: 'none',
    timeoutMs: TIMEOUT_MS,
    run: ({ config, arguments: { query }, host, signal }) => ask(config.assistant_id, query, host, signal),
  },
});

function describe({ name, description }: { name?: string | undefined; description?: string | undefined }): string {
  const who = name === undefined || name === '' ? 'another assistant' : `the assistant “${name}”`;
  return description === undefined || description === '' ? `Asks ${who}.` : `Asks ${who}. ${description}`;
}

async function ask(assistantId: number, query: string, host: ToolHost, signal: AbortSignal): Promise<ToolResult> {
  signal.throwIfAborted();
  const { content, sources } = await host.assistants.run({ assistantId, query }, signal);
  if (content.trim() === '') return { content: '', error: `Assistant ${String(assistantId)} gave no answer.` };
  return { content, sources: [...sources] };
}
