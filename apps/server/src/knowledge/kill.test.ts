import { openDatabase, putOrganizationConfig, createSecretBox, withTenant, type Db } from '@lamb/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHouse, type House } from '../runs/__fixtures__/open-house.ts';
import type { ServerProcess } from '../test-server/spawn-server-process.ts';
import { createLibrary, type Library } from './__fixtures__/create-library.ts';
import { writeCourse } from './__fixtures__/write-course.ts';

const KILLS = 10;
const SEED = 20_261_115;
const DOCUMENTS = 16;
const SECTIONS = 70;

let house: House;
let db: Db;
let library: Library;

beforeAll(async () => {
  house = await openHouse();
  db = openDatabase(house.database.appUrl);
  const { id: organizationId } = await db.selectFrom('auth.organization').select('id').executeTakeFirstOrThrow();
  const { id: ownerId } = await db.selectFrom('auth.user').select('id').executeTakeFirstOrThrow();
  // Without a secret in it, whose box is that does not matter.
  const box = createSecretBox({ current: 'none', keys: { none: Buffer.alloc(32).toString('base64') } });
  await withTenant(db, organizationId, (tx) =>
    putOrganizationConfig(tx, box, {
      setups: { default: { is_default: true, providers: { ollama: { base_url: house.llm.url } } } },
    }),
  );
  library = createLibrary(db, organizationId, ownerId);
}, 60_000);
afterAll(async () => {
  await db.destroy();
  await house.close();
});

/** Numbers between 0 and 1 that are the same every time. */
function* drawNumbers(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

test('servers that are killed ten times while documents are read leave nothing half-done, and no passage is embedded twice', async () => {
  const random = drawNumbers(SEED);
  house.llm.script({ when: { path: '/api/embed' }, times: 'always', firstDelayMs: 40 });
  const { id } = await library.addCollection();
  const documents = await Promise.all(
    Array.from({ length: DOCUMENTS }, (_, n) =>
      library.add(id, `${String(n)}.md`, writeCourse(`d${String(n)}`, SECTIONS)),
    ),
  );
  const servers: ServerProcess[] = await Promise.all([house.startServer(), house.startServer()]);
  let isUnderWay = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    // So that there is something to interrupt: the next request after a moment that the seed decides.
    const seen = house.llm.requests.length + Math.floor(random.next().value * 6);
    const until = performance.now() + 8000;
    while (house.llm.requests.length <= seen && performance.now() < until) await new Promise(setImmediate);
    const place = random.next().value < 0.5 ? 0 : 1;
    if ((await countUnfinished()) > 0) isUnderWay += 1;
    await servers[place]?.stop('SIGKILL');
    servers[place] = await house.startServer();
  }
  expect(isUnderWay).toBe(KILLS);
  await expect.poll(countUnfinished, { timeout: 120_000, interval: 200 }).toBe(0);
  for (const document of documents) {
    expect(await library.read(document.id)).toMatchObject({ status: 'ready', chunks: SECTIONS, problem: null });
  }
  expect(house.llm.embedded.size).toBe(DOCUMENTS * SECTIONS);
  expect([...new Set(house.llm.embedded.values())]).toEqual([1]);
  expect(await db.selectFrom('ops.jobs').select('id').execute()).toEqual([]);
  const left = await withTenant(db, library.organizationId, (tx) =>
    tx.selectFrom('lamb.chunk_drafts').select('ordinal').execute(),
  );
  expect(left).toEqual([]);
}, 240_000);

async function countUnfinished(): Promise<number> {
  const rows = await withTenant(db, library.organizationId, (tx) =>
    tx.selectFrom('lamb.documents').select('id').where('status', '<>', 'ready').execute(),
  );
  return rows.length;
}
