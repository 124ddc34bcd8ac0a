import { AppError } from '@lamb/contract';
import type { Connector, ModelCall, ModelEvent } from '@lamb/plugin-kit';
import type { Resilience, Target } from './create-resilience.ts';
import { judgeProviderOutcome } from './judge-provider-outcome.ts';
import { TargetPaused } from './target-paused.ts';

type Answer = AsyncIterator<readonly ModelEvent[], undefined>;
type Step = IteratorResult<readonly ModelEvent[], undefined>;

const OVER: Step = { done: true, value: undefined };
const silence: Answer = { next: () => Promise.resolve(OVER) };

/**
 * A connector that spares its provider while that fails, and tries again until the first batch of an answer is there.
 * From then on it is out of the way: what a person has begun to read is never begun anew.
 */
export function withResilience(connector: Connector, resilience: Resilience): Connector {
  return {
    ...connector,
    stream: (call) => ({ [Symbol.asyncIterator]: () => openAnswer(connector, call, resilience) }),
  };
}

function openAnswer(connector: Connector, call: ModelCall, resilience: Resilience): Answer {
  const consumer = new AbortController();
  let attempted: Answer | undefined;
  let answering: Answer | undefined;

  async function begin(): Promise<Step> {
    try {
      return await resilience.run<Step>({
        target: targetOf(connector, call),
        signal: AbortSignal.any([call.signal, consumer.signal]),
        attempt() {
          attempted = connector.stream(call)[Symbol.asyncIterator]();
          return attempted.next();
        },
        judge: judgeProviderOutcome,
      });
    } catch (error) {
      if (consumer.signal.aborted) return OVER;
      attempted = undefined;
      throw error instanceof TargetPaused ? reportPaused(error) : error;
    } finally {
      answering ??= attempted ?? silence;
    }
  }

  return {
    // Nothing is put between the consumer and the answer once it flows: this runs for every chunk.
    next: () => (answering ? answering.next() : begin()),
    async return() {
      answering = silence;
      consumer.abort();
      await attempted?.return?.();
      return OVER;
    },
  };
}

function targetOf({ name }: Connector, { settings }: ModelCall): Target {
  const { organizationId = '', baseUrl = '' } = settings;
  return { kind: 'provider', connector: name, organizationId, url: baseUrl };
}

function reportPaused(cause: TargetPaused): AppError {
  const { retryAfterSeconds } = cause;
  return new AppError('provider_unavailable', {
    message: `The model provider is paused for ${String(retryAfterSeconds)} seconds after repeated failures.`,
    details: { retry_after: retryAfterSeconds },
    cause,
  });
}
