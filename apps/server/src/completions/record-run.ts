import type { RunEvent, Usage } from '@lamb/contract';
import { addUsage, estimateUsage } from '@lamb/engine';
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
  let usage: Usage | undefined;
  let promptChars = 0;
  let answerChars = 0;
  let outcome: (typeof outcomes)[keyof typeof outcomes] = 'cancelled';
  metrics.openTurns.inc();
  try {
    for await (const event of events) {
      switch (event.type) {
        case 'text.delta':
        case 'reasoning.delta':
          answerChars += event.text.length;
          break;
        case 'prompt.rendered':
          promptChars = event.chars;
          break;
        case 'usage':
          usage = usage ? addUsage(usage, event.usage) : event.usage;
          break;
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
    // A turn that broke off was paid for too.
    bookUsage(run, usage ?? estimateUsage(promptChars, answerChars), outcome, performance.now() - started, services);
  }
}
