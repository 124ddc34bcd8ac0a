import type { RunEvent } from '@lamb/contract';
import type { Services } from '../services.ts';
import type { RunContext } from './book-usage.ts';

const outcomes = { 'run.finished': 'finished', 'run.failed': 'failed', 'run.cancelled': 'cancelled' } as const;

/** Passes a turn's events on, and notes what happens in it and how it ends. */
export async function* recordRun(
  events: AsyncIterable<RunEvent>,
  run: RunContext,
  { metrics }: Services,
): AsyncGenerator<RunEvent> {
  let outcome: (typeof outcomes)[keyof typeof outcomes] = 'cancelled';
  metrics.openTurns.inc();
  try {
    for await (const event of events) {
      switch (event.type) {
        case 'tool.finished':
          metrics.tools.observe({ tool: event.tool, outcome: event.problem?.code ?? 'ok' }, event.milliseconds / 1000);
          break;
        case 'run.finished':
        case 'run.failed':
        case 'run.cancelled':
          outcome = outcomes[event.type];
          break;
        default:
      }
      yield event;
    }
  } finally {
    metrics.openTurns.dec();
    metrics.turns.inc({ connector: run.model.connector.name, outcome });
  }
}
