import { AppError, type RunEvent } from '@lamb/contract';
import type { OwnedRun } from '@lamb/runs';
import type { Services } from '../services.ts';

/** The events of a run after a number, as they happen, until its end or until the reader leaves. */
export function readRun(
  { runs }: Services,
  run: OwnedRun,
  after: number,
  signal: AbortSignal,
): AsyncIterable<RunEvent> {
  if (!runs) throw new AppError('service_unavailable', { message: 'Durable runs are not started in this process.' });
  return runs.read(run, after, signal);
}
