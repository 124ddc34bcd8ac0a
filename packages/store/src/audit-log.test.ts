import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAuditEntries, recordAudit } from './audit-log.ts';
import { openTestStore, type TestStore } from './open-test-store.ts';

let store: TestStore;

beforeAll(async () => {
  store = await openTestStore();
});

afterAll(() => store.close());

test('the log is read newest first, page by page, of all or of one subject', async () => {
  const tenant = await store.addTenant();
  const other = await store.addTenant();
  await other.run((tx) => recordAudit(tx, { actorId: null, action: 'elsewhere', subject: 'assistant:1' }));
  for (let n = 0; n < 5; n++) {
    await tenant.run((tx) =>
      recordAudit(tx, {
        actorId: tenant.teacherId,
        action: `step.${n}`,
        subject: `assistant:${n % 2}`,
        details: { n },
      }),
    );
  }
  const read = (cursor?: string) => tenant.run((tx) => listAuditEntries(tx, { limit: 3, cursor }));
  const first = await read();
  expect(first.items.map((entry) => entry.action)).toEqual(['step.4', 'step.3', 'step.2']);
  expect(first.items[0]).toMatchObject({ actorId: tenant.teacherId, subject: 'assistant:0', details: { n: 4 } });
  const second = await read(first.nextCursor ?? '');
  expect(second.items.map((entry) => entry.action)).toEqual(['step.1', 'step.0']);
  expect(second.nextCursor).toBeNull();
  const ofOne = await tenant.run((tx) => listAuditEntries(tx, { limit: 10, subject: 'assistant:1' }));
  expect(ofOne.items.map((entry) => entry.action)).toEqual(['step.3', 'step.1']);
});
