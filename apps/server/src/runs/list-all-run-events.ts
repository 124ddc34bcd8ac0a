import type { RunEvent } from '@lamb/contract';
import { listRunEvents, type TenantTx } from '@lamb/store';

/** Every event of a run that is committed so far, in order. */
export async function listAllRunEvents(tx: TenantTx, run: { id: string; startedOn: string }): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = (await listRunEvents(tx, run, events.at(-1)?.seq ?? 0)) as RunEvent[];
    if (page.length === 0) return events;
    events.push(...page);
  }
}
