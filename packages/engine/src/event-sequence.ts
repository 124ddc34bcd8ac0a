import type { RunEvent } from '@lamb/contract';

type Envelope = 'run_id' | 'seq' | 'time' | 'step' | 'attempt';

/** A run event before it is numbered. */
export type EventBody<Event extends RunEvent = RunEvent> = Event extends RunEvent ? Omit<Event, Envelope> : never;

/** Numbers an event of one step. */
export type NumberEvent = (step: string, attempt: number, body: EventBody) => RunEvent;

/** Numbers the events of one run without gaps, after `last`. */
export function createEventSequence(runId: string, now: () => number, last = 0): NumberEvent {
  let seq = last;
  return (step, attempt, body) => {
    seq += 1;
    return { run_id: runId, seq, time: now(), step, attempt, ...body };
  };
}
