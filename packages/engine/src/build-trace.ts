import { messageText, type PromptSpan, type RunTrace } from '@lamb/contract';
import type { GatheredTool } from './gather-context.ts';
import type { Plan } from './plan.ts';
import { redactConfig } from './redact-config.ts';
import type { RenderedPrompt, UncountedSpan } from './render-prompt.ts';

/** What a verbose assistant records of a turn: who contributed how much to the prompt, without any of the contents. */
export async function buildTrace(input: {
  runId: string;
  plan: Plan;
  model: string;
  query: string | undefined;
  gathered: readonly GatheredTool[];
  prompt: RenderedPrompt;
  countTokens: (texts: readonly string[]) => Promise<readonly number[]>;
}): Promise<RunTrace> {
  const { runId, plan, model, query, gathered, prompt, countTokens } = input;
  const counts = await countTokens(prompt.spans.map((span) => textOf(span, prompt)));
  const spans: PromptSpan[] = prompt.spans.map((span, index) => ({ ...span, tokens: counts[index] ?? 0 }));
  return {
    run_id: runId,
    assistant_id: plan.assistantId,
    connector: plan.connector,
    model,
    ...(query === undefined ? {} : { query }),
    tools: gathered.map(({ planned, level, content, sources, milliseconds, problem }) => ({
      tool: planned.type,
      placeholder: planned.placeholder,
      level,
      input: redactConfig(planned.writtenConfig),
      output_chars: content.length,
      sources: sources.length,
      milliseconds,
      ...(problem ? { problem } : {}),
    })),
    prompt: spans,
    prompt_tokens: spans.reduce((sum, span) => sum + span.tokens, 0),
  };
}

function textOf({ message, start, chars }: UncountedSpan, { messages }: RenderedPrompt): string {
  const whole = messages[message];
  return whole ? messageText(whole).slice(start, start + chars) : '';
}
