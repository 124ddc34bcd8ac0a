import { messageText, type PromptSpan, type RunTrace } from '@lamb/contract';
import type { GatheredTool } from './gather-context.ts';
import type { Plan } from './plan.ts';
import { redactConfig } from './redact-config.ts';
import type { RenderedPrompt } from './render-prompt.ts';

/** What a verbose assistant records of a turn: who contributed how much to the prompt, without any of the contents. */
export function buildTrace(input: {
  runId: string;
  plan: Plan;
  model: string;
  gathered: readonly GatheredTool[];
  prompt: RenderedPrompt;
  countTokens: (text: string) => number;
}): RunTrace {
  const { runId, plan, model, gathered, prompt, countTokens } = input;
  const spans: PromptSpan[] = prompt.spans.map((span) => {
    const message = prompt.messages[span.message];
    const text = message ? messageText(message).slice(span.start, span.start + span.chars) : '';
    return { ...span, tokens: countTokens(text) };
  });
  return {
    run_id: runId,
    assistant_id: plan.assistantId,
    connector: plan.connector,
    model,
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
