import type { RunEvent } from '@lamb/contract';

type Envelope = 'run_id' | 'seq' | 'time';

/** A run event before it is numbered. */
export type EventBody<Event extends RunEvent = RunEvent> = Event extends RunEvent ? Omit<Event, Envelope> : never;

/** Numbers the events of one run without gaps, starting at 1. */
export function createEventSequence(runId: string, now: () => number): (body: EventBody) => RunEvent {
  let seq = 0;
  return (body) => {
    seq += 1;
    return { run_id: runId, seq, time: now(), ...body };
  };
}
