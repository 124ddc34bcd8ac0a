import type { RunEvent } from '@lamb/contract';
import { collectRun, type TurnEnd } from '@lamb/engine';
import { listRunEvents, withTenant, type Db } from '@lamb/store';
import { isRunEnd } from './is-run-end.ts';

interface FiledRun {
  readonly id: string;
  readonly organizationId: string;
  readonly startedOn: string;
}

/** How a run ended, as its log says. */
export async function readRunEnd(db: Db, run: FiledRun): Promise<TurnEnd> {
  const events: RunEvent[] = [];
  for (let end: RunEvent | undefined; !end; end = events.findLast(isRunEnd)) {
    const last = events.at(-1)?.seq ?? 0;
    const page = (await withTenant(db, run.organizationId, (tx) => listRunEvents(tx, run, last))) as RunEvent[];
    if (page.length === 0) throw new Error(`The log of run ${run.id} has no end.`);
    events.push(...page);
  }
  const end = events.find(isRunEnd);
  if (end?.type === 'run.cancelled') return { status: 'cancelled', text: '' };
  if (end?.type === 'run.failed') return { status: 'failed', text: '' };
  const { text } = await collectRun(inTurn(events));
  return { status: 'finished', text };
}

async function* inTurn(events: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  yield* await Promise.resolve(events);
}
