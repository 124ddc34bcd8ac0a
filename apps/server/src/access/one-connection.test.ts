import { expect, it } from 'vitest';
import { openDoors } from '../auth/__fixtures__/open-doors.ts';
import { sampleBodies, sampleRubric } from '../routes/__fixtures__/sample-bodies.ts';
import { send } from '../routes/__fixtures__/send.ts';
import { startTestServer } from '../test-server/start-test-server.ts';
import { makeWorld, type World } from './__fixtures__/make-world.ts';

const NORTH = 'canary-north-7f3a';
const SOUTH = 'canary-south-9c1e';

it('one database connection, handed from organisation to organisation, carries nothing over', async () => {
  const narrow = await startTestServer({ LAMB_DATABASE_CONNECTIONS: '1' });
  try {
    const worlds = [
      { own: NORTH, foreign: SOUTH, people: narrow.north, world: await makeWorld(narrow, narrow.north, NORTH) },
      { own: SOUTH, foreign: NORTH, people: narrow.south, world: await makeWorld(narrow, narrow.south, SOUTH) },
    ];
    const doors = await Promise.all(worlds.map(({ people }) => openDoors(narrow, people.teacher)));
    const requests: [method: string, path: (world: World) => string, body?: unknown][] = [
      ['GET', () => '/lamb/v1/assistants?limit=100'],
      ['GET', ({ assistant }) => `/lamb/v1/assistants/${assistant}`],
      // A statement that fails leaves its transaction broken, and the next request gets the same connection.
      ['POST', () => '/lamb/v1/assistants', (own: string) => ({ name: own })],
      ['GET', () => '/v1/models'],
      [
        'POST',
        ({ assistant }) => `/lamb/v1/completions?assistant=${assistant}`,
        () => sampleBodies['POST /lamb/v1/completions'],
      ],
      ['GET', ({ rubric }) => `/lamb/v1/rubrics/${rubric}`],
      ['POST', () => '/lamb/v1/rubrics', () => ({ rubric: { ...sampleRubric, title: '\u0000' } })],
      ['GET', ({ file }) => `/lamb/v1/files/${file}/content`],
      ['GET', () => '/lamb/v1/files'],
      ['GET', ({ run }) => `/lamb/v1/runs/${run}/trace`],
      ['GET', () => '/lamb/v1/rubrics?cursor=garbage'],
    ];
    let seenOwn = 0;
    for (let round = 0; round < 4; round += 1) {
      const replies = await Promise.all(
        requests.flatMap(([method, path, body]) =>
          worlds.map(async ({ own, foreign, world }, index) => {
            const door = doors[index]?.[round % 2];
            const content: unknown = typeof body === 'function' ? (body as (own: string) => unknown)(own) : undefined;
            const reply = await send(narrow, method, path(world), {
              headers: { ...door?.headers, ...(content === undefined ? {} : { 'content-type': 'application/json' }) },
              ...(content === undefined ? {} : { body: JSON.stringify(content) }),
            });
            return { name: `${own}: ${method} ${path(world)}`, own, foreign, ...reply };
          }),
        ),
      );
      expect(replies.filter(({ status }) => status >= 500).map(({ name }) => name)).toEqual([]);
      expect(replies.filter(({ text, foreign }) => text.includes(foreign)).map(({ name }) => name)).toEqual([]);
      seenOwn += replies.filter(({ text, own }) => text.includes(own)).length;
    }
    expect(seenOwn).toBeGreaterThan(40);
    expect(await narrow.services.db.selectFrom('lamb.assistants').selectAll().execute()).toEqual([]);
    expect(await narrow.services.db.selectFrom('lamb.rubrics').selectAll().execute()).toEqual([]);
  } finally {
    await narrow.stop();
  }
}, 60_000);
