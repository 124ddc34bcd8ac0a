import type { RunEvent, Usage } from '@lamb/contract';
import type { Services } from '../services.ts';
import { bookUsage, type RunContext } from './book-usage.ts';

const outcomes = { 'run.finished': 'finished', 'run.failed': 'failed', 'run.cancelled': 'cancelled' } as const;

/** Passes a turn's events on, and writes down what it used when it ends, however it ends. */
export async function* recordRun(
  events: AsyncIterable<RunEvent>,
  run: RunContext,
  services: Services,
): AsyncGenerator<RunEvent> {
  const { metrics } = services;
  const started = performance.now();
  let usage: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, estimated: true };
  let outcome: (typeof outcomes)[keyof typeof outcomes] = 'cancelled';
  metrics.openTurns.inc();
  try {
    for await (const event of events) {
      switch (event.type) {
        case 'usage':
          usage = event.usage;
          break;
        case 'tool.finished':
          metrics.tools.observe({ tool: event.tool, outcome: event.problem?.code ?? 'ok' }, event.milliseconds / 1000);
          break;
        case 'run.finished':
        case 'run.failed':
        case 'run.cancelled':
          outcome = outcomes[event.type];
          break;
      }
      yield event;
    }
  } finally {
    metrics.openTurns.dec();
    metrics.turns.inc({ connector: run.model.connector.name, outcome });
    bookUsage(run, usage, outcome, performance.now() - started, services);
  }
}
