import type { RunEvent } from '@lamb/contract';

const ends = new Set<RunEvent['type']>(['run.finished', 'run.failed', 'run.cancelled']);

/** Whether an event is the last of its run, and not of an assistant that was called in it. */
export function isRunEnd(event: RunEvent): boolean {
  return ends.has(event.type) && event.parent_call_id === undefined;
}
