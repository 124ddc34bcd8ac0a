import { expect } from 'vitest';
import type { Person, TestServer } from '../../test-server/start-test-server.ts';

/** Waits until a run has ended, and tells how. */
export async function finishRun(lamb: TestServer, person: Person, runId: string): Promise<string> {
  const statusOf = async () =>
    ((await lamb.call(person, 'GET', `/lamb/v1/runs/${runId}`)).body as { status: string }).status;
  await expect.poll(statusOf, { timeout: 10_000 }).not.toMatch(/running|waiting/);
  return await statusOf();
}
