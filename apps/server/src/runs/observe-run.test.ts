import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';

let lamb: TestServer;

beforeAll(async () => {
  lamb = await startTestServer();
});
afterAll(() => lamb.stop());

test('a turn that another process has taken over is no longer open in this one', async () => {
  const { model } = await createAssistant(lamb, lamb.north.teacher, { name: 'Slow' });
  lamb.llm.script({ tokens: 1000, intervalMs: 20 });
  const countOpen = async () => (await lamb.services.metrics.openTurns.get()).values[0]?.value;
  const { body } = await lamb.call(lamb.north.teacher, 'POST', '/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: 'Go on.' }],
    lamb: { background: true },
  });
  await expect.poll(countOpen).toBe(1);
  const { id } = body as { id: string };
  await sql`update ops.run_leases set epoch = epoch + 1 where run_id = ${id}`.execute(lamb.services.db);
  await expect.poll(countOpen).toBe(0);
});
