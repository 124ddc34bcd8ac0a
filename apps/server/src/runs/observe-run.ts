import type { RunEvent } from '@lamb/contract';
import type { RunContext } from '../completions/book-usage.ts';
import type { Services } from '../services.ts';

/** Notes what happens in a durable run and how it ends, as it happens. */
export function observeRun(run: RunContext, services: Services): (event: RunEvent) => void {
  const { metrics } = services;
  const connector = run.model.connector.name;
  return (event) => {
    switch (event.type) {
      case 'tool.finished':
        metrics.tools.observe({ tool: event.tool, outcome: event.problem?.code ?? 'ok' }, event.milliseconds / 1000);
        break;
      case 'call.finished':
        metrics.tools.observe({ tool: event.tool ?? 'unknown', outcome: event.outcome }, event.milliseconds / 1000);
        break;
      case 'run.finished':
      case 'run.failed':
      case 'run.cancelled':
        metrics.turns.inc({ connector, outcome: event.type.slice('run.'.length) });
        break;
      default:
    }
  };
}
