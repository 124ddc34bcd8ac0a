import type { ChatCompletion } from '@lamb/contract';
import type { CollectedRun } from '@lamb/engine';

/** A finished turn as OpenAI's reply. */
export function toChatCompletion(run: CollectedRun, model: string, created: number): ChatCompletion {
  const { prompt_tokens, completion_tokens, total_tokens } = run.usage;
  return {
    id: `chatcmpl-${run.runId}`,
    object: 'chat.completion',
    created,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: run.text,
          ...(run.reasoning === '' ? {} : { reasoning_content: run.reasoning }),
        },
        finish_reason: run.finishReason,
      },
    ],
    usage: { prompt_tokens, completion_tokens, total_tokens },
    lamb: {
      run_id: run.runId,
      sources: [...run.sources],
      problems: [...run.problems],
      ...(run.citations && { citations: run.citations }),
    },
  };
}
