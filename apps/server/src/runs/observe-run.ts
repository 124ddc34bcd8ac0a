import type { RunEvent } from '@lamb/contract';
import type { PreparedRun } from '@lamb/runs';
import type { RunContext } from '../completions/book-usage.ts';
import type { Services } from '../services.ts';

/** Notes what happens in a turn and how it ends, as it happens in this process. */
export function observeRun(run: RunContext, { metrics }: Services): Pick<PreparedRun, 'observe' | 'leave'> {
  const connector = run.model.connector.name;
  let state: 'new' | 'open' | 'over' = 'new';
  const open = () => {
    if (state !== 'new') return;
    state = 'open';
    metrics.openTurns.inc();
  };
  const leave = () => {
    if (state === 'open') metrics.openTurns.dec();
    state = 'over';
  };
  const observe = (event: RunEvent) => {
    // The hot path: a token is nothing to note.
    if (event.type === 'text.delta') return;
    // A run that was taken over from another process does not begin with its start.
    open();
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
        leave();
        metrics.turns.inc({ connector, outcome: event.type.slice('run.'.length) });
        break;
      default:
    }
  };
  return { observe, leave };
}
