import type { ChatMessage, Usage } from '@lamb/contract';
import { countPromptChars, estimateUsage, limitAnswer, type OpenModel } from '@lamb/engine';
import { randomUUID } from 'node:crypto';
import { reserveCall } from '../budget/reserve-call.ts';
import type { Services } from '../services.ts';
import { bookUsage, type BookedRun } from './book-usage.ts';

const imageData = /data:image\/[a-z]+;base64,[A-Za-z0-9+/=]+/g;

/** A way to ask a model one thing and wait for its whole answer; it is paid from the run's budget and booked on the run. */
export function createModelAsker(
  model: OpenModel,
  run: Omit<BookedRun, 'model'>,
  services: Services,
  { images: expectedImages = 0 } = {},
): (messages: readonly ChatMessage[], signal: AbortSignal) => Promise<string> {
  const { connector, settings } = model;
  const booked = { ...run, model };
  return async (messages, signal) => {
    const promptChars = countPromptChars(messages);
    // Several may be under way at once, in no order that a restarted run would repeat: each has a name of its own.
    const estimate = { promptChars, maxCompletionTokens: undefined, images: expectedImages };
    const reservation = await reserveCall(booked, estimate, `ask:${randomUUID()}`, services);
    const sampling = limitAnswer({}, reservation);
    let text = '';
    let heard = false;
    let usage: Usage | undefined;
    let outcome: 'finished' | 'failed' = 'failed';
    try {
      for await (const batch of connector.stream({ settings, model: model.model, messages, sampling, signal })) {
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
      // An image is paid as one, not by the letters that it is written in.
      const [words, images] = [text.replaceAll(imageData, ''), text.match(imageData)?.length ?? 0];
      const used = usage ?? (heard || signal.aborted ? estimateUsage(promptChars, words.length) : estimateUsage(0, 0));
      const end = { usage: used, outcome: signal.aborted ? 'cancelled' : outcome, images } as const;
      await bookUsage(booked, reservation, end, services);
    }
    return text;
  };
}
