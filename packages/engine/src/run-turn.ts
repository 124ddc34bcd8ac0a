import type { RunEvent } from '@lamb/contract';
import { createEventChannel } from './event-channel.ts';
import { createEventSequence } from './event-sequence.ts';
import { executeTurn } from './execute-turn.ts';
import type { Plan } from './plan.ts';
import { TurnDeadlinePassed } from './turn-deadline-passed.ts';
import type { RunStep, TurnPorts, TurnRequest } from './turn-ports.ts';

/** The events of a turn; whoever stops reading says so with `return`, as `for await` does by itself. */
export interface EventStream extends AsyncIterableIterator<RunEvent, undefined> {
  return(): Promise<IteratorResult<RunEvent, undefined>>;
}

/**
 * Runs one turn in this process and tells everything that happens as a sequence of events. Ends with `run.finished`,
 * `run.failed` or `run.cancelled`; never throws. `observe` hears every event, also those that nobody reads any more. When the consumer stops reading, everything upstream is aborted.
 */
export function runTurn(
  plan: Plan,
  request: TurnRequest,
  ports: TurnPorts,
  observe: (event: RunEvent) => void = () => undefined,
): EventStream {
  const turn = new AbortController();
  const channel = createEventChannel<RunEvent>();
  let running: Promise<void> | undefined;

  const start = async (): Promise<void> => {
    const number = createEventSequence(ports.runId, ports.now);
    const onCallerGone = () => turn.abort(ports.signal.reason);
    if (ports.signal.aborted) onCallerGone();
    ports.signal.addEventListener('abort', onCallerGone, { once: true });
    const deadline = setTimeout(() => turn.abort(new TurnDeadlinePassed()), plan.deadlineMs);
    const step: RunStep = (name, work) =>
      work({
        emit: (body) => {
          const event = number(name, 1, body);
          observe(event);
          channel.push(event);
        },
        ready: channel.ready,
        begin: () => Promise.resolve('fresh'),
        signal: turn.signal,
      });
    try {
      await executeTurn(plan, request, { ...ports, step, signal: turn.signal });
    } finally {
      clearTimeout(deadline);
      ports.signal.removeEventListener('abort', onCallerGone);
      turn.abort();
      channel.close();
    }
  };

  return {
    next() {
      running ??= start();
      return channel.next();
    },
    async return() {
      turn.abort();
      channel.close();
      await running;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
