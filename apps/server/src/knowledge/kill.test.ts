import { withTenant, type StoredDocument } from '@lamb/store';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ServerProcess } from '../test-server/spawn-server-process.ts';
import { countSentTexts } from './__fixtures__/count-sent-texts.ts';
import { findAskedAgain } from './__fixtures__/find-asked-again.ts';
import { openArchive, type Archive } from './__fixtures__/open-archive.ts';
import { writeCourse } from './__fixtures__/write-course.ts';

const KILLS = 10;
const SEED = 20_261_115;
const DOCUMENTS_A_KILL = 3;
const SECTIONS = 64;
/** Of a server that is killed: it reads two documents at a time, and asks for 16 vectors at a time of each. */
const MOST_IN_FLIGHT = 2 * 16;

let archive: Archive;

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });
beforeAll(async () => {
  archive = await openArchive();
});
afterAll(() => archive.close());

/** Numbers between 0 and 1 that are the same every time. */
function createDraw(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function countUnfinished(): Promise<number> {
  const rows = await withTenant(archive.db, archive.library.organizationId, (tx) =>
    tx.selectFrom('lamb.documents').select('id').where('status', '<>', 'ready').execute(),
  );
  return rows.length;
}

test('servers that are killed ten times while documents are read leave nothing half-done, and no passage is embedded twice', async () => {
  const { llm, library, db } = archive;
  const draw = createDraw(SEED);
  llm.script({ when: { path: '/api/embed' }, times: 'always', firstDelayMs: 40 });
  const { id } = await library.addCollection();
  const documents: StoredDocument[] = [];
  const servers: ServerProcess[] = await Promise.all([archive.startServer(), archive.startServer()]);
  let interruptions = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    for (let n = 0; n < DOCUMENTS_A_KILL; n += 1) {
      const name = `d${String(documents.length)}`;
      documents.push(await library.add(id, `${name}.md`, writeCourse(name, SECTIONS)));
    }
    // So that there is something to interrupt: so many requests later, and so far into answering or keeping them.
    const awaited = llm.requests.length + 1 + Math.floor(draw() * 4);
    const place = draw() < 0.5 ? 0 : 1;
    const until = performance.now() + 15_000;
    const moment = draw() * 60;
    await vi.waitUntil(
      () => {
        const isThere = llm.requests.length >= awaited && Date.now() > (llm.requests.at(-1)?.receivedAt ?? 0) + moment;
        return isThere || performance.now() > until;
      },
      { timeout: 30_000, interval: 3 },
    );
    if ((await countUnfinished()) > 0) interruptions += 1;
    await servers[place]?.stop('SIGKILL');
    servers[place] = await archive.startServer();
  }
  expect(interruptions).toBe(KILLS);
  await expect.poll(countUnfinished, { timeout: 200_000, interval: 200 }).toBe(0);
  for (const document of documents) {
    expect(await library.read(document.id)).toMatchObject({ status: 'ready', chunks: SECTIONS, problem: null });
  }
  expect(llm.embedded.size).toBe(documents.length * SECTIONS);
  expect([...new Set(llm.embedded.values())]).toEqual([1]);
  // The provider counts a request once that is repeated under its key; what was kept is not even asked for again.
  expect(findAskedAgain(llm, (text) => /\bd\d+\b/.exec(text)?.[0])).toEqual([]);
  expect(countSentTexts(llm)).toBeLessThanOrEqual(documents.length * SECTIONS + KILLS * MOST_IN_FLIGHT);
  expect(await db.selectFrom('ops.jobs').select('id').execute()).toEqual([]);
  const left = await withTenant(db, library.organizationId, (tx) =>
    tx.selectFrom('lamb.chunk_drafts').select('ordinal').execute(),
  );
  expect(left).toEqual([]);
});
