import type { ChatMessage } from '@lamb/contract';
import type { OpenModel } from '@lamb/engine';
import type { Services } from '../services.ts';
import { bookUsage, type RunContext } from './book-usage.ts';

/** A way to ask a model one thing and wait for its whole answer; what it uses is booked on the same run. */
export function createModelAsker(
  model: OpenModel,
  run: RunContext,
  services: Services,
): (messages: readonly ChatMessage[], signal: AbortSignal) => Promise<string> {
  return async (messages, signal) => {
    const started = performance.now();
    const { connector, settings } = model;
    let text = '';
    for await (const batch of connector.stream({ settings, model: model.model, messages, sampling: {}, signal })) {
      for (const event of batch) {
        if (event.type === 'text') text += event.text;
        if (event.type !== 'usage') continue;
        const { promptTokens: prompt_tokens, completionTokens: completion_tokens } = event;
        const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
        const milliseconds = performance.now() - started;
        bookUsage({ ...run, model }, { ...usage, estimated: false }, 'finished', milliseconds, services);
      }
    }
    return text;
  };
}
