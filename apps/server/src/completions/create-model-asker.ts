import { messageText, type ChatMessage, type Usage } from '@lamb/contract';
import { estimateUsage, type OpenModel } from '@lamb/engine';
import { randomUUID } from 'node:crypto';
import { createRunBudget } from '../budget/create-run-budget.ts';
import type { Services } from '../services.ts';
import type { RunContext } from './book-usage.ts';

/** A way to ask a model one thing and wait for its whole answer; it is paid from the run's budget and booked on the run. */
export function createModelAsker(
  model: OpenModel,
  run: RunContext,
  services: Services,
): (messages: readonly ChatMessage[], signal: AbortSignal) => Promise<string> {
  const { connector, settings } = model;
  const budget = createRunBudget({ ...run, model }, services);
  return async (messages, signal) => {
    const promptChars = messages.reduce((sum, message) => sum + messageText(message).length, 0);
    // Several may be under way at once, in no order that a restarted run would repeat: each has a name of its own.
    const reservation = await budget.reserve({ promptChars, maxCompletionTokens: undefined }, `ask:${randomUUID()}`);
    let text = '';
    let heard = false;
    let usage: Usage | undefined;
    let outcome: 'finished' | 'failed' = 'failed';
    try {
      for await (const batch of connector.stream({ settings, model: model.model, messages, sampling: {}, signal })) {
        heard = true;
        for (const event of batch) {
          if (event.type === 'text') text += event.text;
          if (event.type !== 'usage') continue;
          const { promptTokens: prompt_tokens, completionTokens: completion_tokens } = event;
          const total_tokens = prompt_tokens + completion_tokens;
          usage = { prompt_tokens, completion_tokens, total_tokens, estimated: false };
        }
      }
      outcome = 'finished';
    } finally {
      const used = usage ?? (heard || signal.aborted ? estimateUsage(promptChars, text.length) : estimateUsage(0, 0));
      await budget.settle(reservation, { usage: used, outcome: signal.aborted ? 'cancelled' : outcome });
    }
    return text;
  };
}
