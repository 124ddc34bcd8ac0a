import { Assistant } from '@lamb/contract';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openDoors, type Door } from '../auth/__fixtures__/open-doors.ts';
import { recordRoutes, type RecordedRoute } from '../routes/__fixtures__/record-routes.ts';
import { sampleBodies } from '../routes/__fixtures__/sample-bodies.ts';
import { sampleQueries } from '../routes/__fixtures__/sample-queries.ts';
import { send } from '../routes/__fixtures__/send.ts';
import { startTestServer, type Person, type Reply, type TestServer } from '../test-server/start-test-server.ts';
import { makeWorld, type World } from './__fixtures__/make-world.ts';

type Kind = keyof World;

/** What the id in an address names. A new route with an id must be listed here, and is then tested. */
const kinds: readonly (readonly [prefix: string, kind: Kind])[] = [
  ['/lamb/v1/assistants/:id', 'assistant'],
  ['/lamb/v1/rubrics/:id', 'rubric'],
  ['/lamb/v1/files/:id', 'file'],
  ['/lamb/v1/collections/:id', 'collection'],
  ['/collections/:id', 'collection'],
  ['/ingestion-jobs/:job', 'job'],
  ['/files/:id', 'job'],
  ['/lamb/v1/keys/:id', 'key'],
  ['/lamb/v1/chats/:id', 'chat'],
  ['/lamb/v1/runs/:id', 'run'],
  ['/lamb/v1/organizations/current/members/:id', 'member'],
  ['/lamb/v1/organizations/current/budgets/users/:id', 'member'],
  ['/lamb/v1/organizations/current/invitations/:id', 'invitation'],
  ['/lamb/v1/organizations/current/keys/:id', 'key'],
];

/** Parts of addresses that name nothing of an organisation. */
const belongsToNobody = [
  '/lamb/v1/shared-chats/:token',
  '/lamb/v1/completions/tools/:name',
  '/api/auth/callback/:id',
  '/lamb/v1/organizations/current/providers/:name',
];

/** Streams that do not end by themselves. */
const endless = new Set(['/lamb/v1/collections/:id/events']);

/** What is the administrators' alone: whoever is none is told so, whatever the id. */
const adminsOnly = new Set<string | undefined>([
  'member.list',
  'member.edit',
  'member.invite',
  'key.oversee',
  'budget.configure',
  'rubric.showcase',
]);

/** Fields of queries and bodies that cannot name somebody else's resource; what is in neither list must be looked at. */
const harmless = new Set(
  `limit cursor scope type search sort format from to
  name description system_prompt prompt_template RAG_Top_k version is_public rubric trusted_gateway expires_in_days path file
  setups kb_server features limits assistant_defaults
  title content decision after text discard_changes without_tools replaces replaced moodle group_by currency organization user_default prices
  url urls documents start end signature status
  visibility embedding chunking ranking query top_k threshold mode embeddings_model skip plugin_name query_text plugin_params
  key email email_confirmed password token language role enabled discard tokens cost_micros base_url api_key url secret by top
  is_showcase document subject grade_level criteria levels scoring_type max_score
  messages stream stream_options lamb temperature top_p max_tokens max_completion_tokens stop presence_penalty
  frequency_penalty seed logit_bias response_format reasoning_effort`.split(/\s+/),
);
/** Fields that can; each has a test below. */
const naming = new Set([
  'assistant',
  'assistant_id',
  'model',
  'emails',
  'assistants',
  'metadata',
  'RAG_collections',
  'collections',
  'users',
  'organization_id',
  'transfer_to',
  'actor',
  'action',
  'user',
]);

const NORTH = 'canary-north-7f3a';
const SOUTH = 'canary-south-9c1e';

/** Every route, for everybody and through every door: that is many requests, on a machine that may be busy. */
const TIMEOUT = 120_000;

let lamb: TestServer;
let routes: RecordedRoute[];
let north: World;
let openNorth: World;
let south: World;
let strangers: { who: string; door: Door; mayNeverSee: boolean }[];

beforeAll(async () => {
  const listRoutes = recordRoutes();
  lamb = await startTestServer();
  routes = listRoutes();
  [north, openNorth, south] = await Promise.all([
    makeWorld(lamb, lamb.north, NORTH),
    makeWorld(lamb, lamb.north, `${NORTH}-open`, { open: true }),
    makeWorld(lamb, lamb.south, SOUTH),
  ]);
  const { admin, teacher, student } = lamb.south;
  const open = async (who: string, person: Person, mayNeverSee = false) =>
    (await openDoors(lamb, person)).map((door) => ({ who, door, mayNeverSee }));
  strangers = (
    await Promise.all([open('an administrator', admin), open('a teacher', teacher), open('a student', student, true)])
  ).flat();
});
afterAll(async () => {
  await lamb.stop();
});

const absent: World = {
  assistant: '999999999',
  rubric: randomUUID(),
  file: randomUUID(),
  collection: '999999999',
  document: randomUUID(),
  job: '999999999',
  key: randomUUID(),
  chat: randomUUID(),
  run: randomUUID(),
  member: randomUUID(),
  invitation: randomUUID(),
};

function kindOf({ path }: RecordedRoute): Kind | undefined {
  return kinds.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1];
}

function fillPath(path: string, id: string, { document, job }: Pick<World, 'document' | 'job'> = absent): string {
  const filled = path
    .replace(':id', id)
    .replace(':document_id', document)
    .replace(':job', job)
    .replace(':call_id', 'call_1')
    .replace(':name', 'simple_rag');
  return filled + (sampleQueries[path] ?? '');
}

/** Uploads are no JSON. */
function isUpload(schema: RecordedRoute['schema']): boolean {
  return 'consumes' in schema;
}

function listRoutesWithIds(): { route: RecordedRoute; kind: Kind }[] {
  return routes.flatMap((route) => {
    const kind = kindOf(route);
    return kind ? [{ route, kind }] : [];
  });
}

async function ask(door: Pick<Door, 'headers'>, method: string, path: string, body?: unknown): Promise<Reply> {
  return await send(lamb, method, path, {
    headers: { ...door.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** A reply down to the last byte, except for the request's own id and what the caller itself sent. */
function fingerprint({ status, headers, text }: Reply, ...sent: string[]): string {
  const requestId = headers.get('x-request-id') ?? '';
  const kept = [...headers].filter(([name]) => !['x-request-id', 'date', 'content-length'].includes(name));
  const body = [requestId, ...sent].reduce(
    (rest, part) => rest.replace(new RegExp(`(?<!\\w)${part.replaceAll('.', '\\.')}(?!\\w)`, 'g'), '…'),
    text,
  );
  return JSON.stringify({ status, kept, body });
}

describe('the list of what is tested', () => {
  it('has every route with an id', () => {
    const unknown = routes.filter(
      (route) =>
        route.path.includes(':') && !kindOf(route) && !belongsToNobody.some((path) => route.path.startsWith(path)),
    );
    expect(unknown.map(({ name }) => name)).toEqual([]);
    expect(listRoutesWithIds().length).toBeGreaterThanOrEqual(18);
  });

  it('has every field that a query or a body can name something with', () => {
    const fields = routes.flatMap(({ schema }) =>
      [schema.querystring, schema.body].flatMap((part) => (part instanceof z.ZodObject ? Object.keys(part.shape) : [])),
    );
    expect(fields.filter((field) => !harmless.has(field) && !naming.has(field))).toEqual([]);
    expect([...naming].filter((field) => !fields.includes(field))).toEqual([]);
  });

  it('has a body for every route that wants one', () => {
    const wanting = routes.filter(({ schema }) => schema.body !== undefined && !isUpload(schema));
    expect(wanting.map(({ name }) => name).toSorted()).toEqual(Object.keys(sampleBodies).toSorted());
  });
});

/** Compares, for one caller, what an id that is somebody else's gets with what an id gets that does not exist. */
async function compareIds(
  door: Door,
  foreign: World,
): Promise<{ name: string; same: boolean; status: number; adminsOnly: boolean }[]> {
  return await Promise.all(
    listRoutesWithIds().map(async ({ route: { name, method, path, access }, kind }) => {
      const [theirs, nobodys] = await Promise.all(
        [foreign, absent].map(async (world) => {
          const id = world[kind];
          const reply = await ask(door, method, fillPath(path, id, world), sampleBodies[name]);
          return { status: reply.status, print: fingerprint(reply, id, world.document, world.job) };
        }),
      );
      return {
        name,
        same: theirs?.print === nobodys?.print,
        status: theirs?.status ?? 0,
        adminsOnly: adminsOnly.has(access),
      };
    }),
  );
}

/** Everything that an organisation's teacher has, as they see it. */
async function snapshot(teacher: Person, world: World): Promise<string> {
  const paths = listRoutesWithIds()
    .filter(({ route }) => route.method === 'GET' && !adminsOnly.has(route.access) && !endless.has(route.path))
    .map(({ route, kind }) => fillPath(route.path, world[kind], world));
  const replies = await Promise.all(['/lamb/v1/keys', ...paths].map((path) => lamb.call(teacher, 'GET', path)));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  return replies.map(({ text }) => text).join('\n');
}

describe('an id of another organisation', () => {
  it(
    'gets the same answer as one that does not exist, on every route and through every door',
    { timeout: TIMEOUT },
    async () => {
      for (const world of [north, openNorth]) {
        const before = await snapshot(lamb.north.teacher, world);
        for (const { who, door, mayNeverSee } of strangers) {
          const outcomes = await compareIds(door, world);
          expect(
            outcomes.filter(({ same }) => !same),
            `${who} with a ${door.name} can tell them apart`,
          ).toEqual([]);
          const isAdmin = who === 'an administrator';
          expect(
            outcomes.filter((each) => {
              const mayBeForbidden = mayNeverSee || (each.adminsOnly && !isAdmin);
              return !(each.status === 404 || (mayBeForbidden && each.status === 403));
            }),
            `${who} with a ${door.name} is not told 404`,
          ).toEqual([]);
        }
        expect(await snapshot(lamb.north.teacher, world), 'nothing has changed there').toBe(before);
      }
    },
  );

  it('gets the same answer as a model or as `?assistant=`', { timeout: TIMEOUT }, async () => {
    const messages = [{ role: 'user', content: 'Who are you?' }];
    const names = (id: string, name: string) => [`lamb_assistant.${id}`, id, `LAMB:${name}`, name];
    lamb.llm.reset();
    for (const { who, door } of strangers) {
      for (const stream of [false, true]) {
        const theirs = names(openNorth.assistant, `${NORTH}-open`);
        const nobodys = names(absent.assistant, 'canary-nobody');
        for (const [index, model] of theirs.entries()) {
          const other = nobodys[index] ?? '';
          const found = await ask(door, 'POST', '/v1/chat/completions', { model, messages, stream });
          const missing = await ask(door, 'POST', '/v1/chat/completions', { model: other, messages, stream });
          expect(found.status, `${who} with a ${door.name}: ${model}`).toBe(404);
          expect(fingerprint(found, model)).toBe(fingerprint(missing, other));
        }
        for (const field of ['assistant', 'assistant_id']) {
          const path = `/lamb/v1/completions?${field}=`;
          const found = await ask(door, 'POST', path + openNorth.assistant, { messages, stream });
          const missing = await ask(door, 'POST', path + absent.assistant, { messages, stream });
          expect(found.status).toBe(404);
          expect(fingerprint(found)).toBe(fingerprint(missing));
        }
      }
    }
    expect(lamb.llm.requests, 'no model was asked').toEqual([]);
  });

  it('sums up to nothing in the usage', async () => {
    const range = 'from=0&to=9999999999';
    const [mine, theirs, nobodys] = await Promise.all(
      [south.assistant, north.assistant, absent.assistant].map((id) =>
        lamb.call(lamb.south.admin, 'GET', `/lamb/v1/organizations/current/usage?${range}&assistant=${id}`),
      ),
    );
    expect(theirs?.text).toBe(nobodys?.text);
    expect(theirs?.body).toMatchObject({ runs: 0, total_tokens: 0 });
    const path = `/lamb/v1/organizations/current/usage?${range}&assistant=${south.assistant}`;
    await vi.waitFor(
      async () => expect((await lamb.call(lamb.south.admin, 'GET', path)).body).toMatchObject({ runs: 1 }),
      { timeout: 10_000 },
    );
    expect(mine?.status).toBe(200);
  });

  it('is no organisation to go to, nobody to inherit, and nobody in the audit log', async () => {
    const [, session] = await openDoors(lamb, lamb.south.admin);
    if (!session) throw new Error('There is no session.');
    const compare = async (name: (id: string) => Promise<Reply>, theirs: string) => {
      const nobodys = randomUUID();
      const [found, missing] = [await name(theirs), await name(nobodys)];
      expect(fingerprint(found, theirs)).toBe(fingerprint(missing, nobodys));
      return found;
    };
    const go = await compare(
      (id) => ask(session, 'PUT', '/lamb/v1/me/organization', { organization_id: id }),
      lamb.north.id,
    );
    expect(go.status).toBe(404);
    const member = `/lamb/v1/organizations/current/members/${lamb.south.colleague.id}`;
    const inherit = await compare((id) => ask(session, 'DELETE', `${member}?transfer_to=${id}`), lamb.north.teacher.id);
    expect(inherit.status).toBe(400);
    const audit = '/lamb/v1/organizations/current/audit';
    for (const query of [`actor=${lamb.north.teacher.id}`, `subject=assistant:${north.assistant}`]) {
      expect((await ask(session, 'GET', `${audit}?${query}`)).body).toEqual({ items: [], next_cursor: null });
    }
    expect((await ask(session, 'GET', `${audit}?action=assistant`)).text).not.toContain(NORTH);
  });

  it('cannot be shared with by e-mail', async () => {
    const theirs = lamb.north.colleague.email;
    const nobodys = 'nobody@nowhere.test';
    for (const path of [`assistants/${south.assistant}/shares`, `collections/${south.collection}/shares`]) {
      const found = await lamb.call(lamb.south.teacher, 'PUT', `/lamb/v1/${path}`, { emails: [theirs] });
      const missing = await lamb.call(lamb.south.teacher, 'PUT', `/lamb/v1/${path}`, { emails: [nobodys] });
      expect(found.status).toBe(400);
      expect(fingerprint(found, theirs)).toBe(fingerprint(missing, nobodys));
    }
  });

  it('gives nothing to a search, alone or beside one’s own', async () => {
    for (const { who, door, mayNeverSee } of strangers) {
      for (const others of [[], [Number(south.collection)]]) {
        const [found, missing] = await Promise.all(
          [openNorth.collection, absent.collection].map(async (id) => {
            const body = { collections: [Number(id), ...others], query: NORTH };
            const reply = await ask(door, 'POST', '/lamb/v1/collections/query', body);
            return { status: reply.status, print: fingerprint(reply, id) };
          }),
        );
        expect(found, `${who} with a ${door.name}`).toEqual(missing);
        expect(found?.status).toBe(mayNeverSee ? 403 : 404);
      }
    }
  });

  it('is no user to give a budget to', async () => {
    const [found, missing] = await Promise.all(
      [lamb.north.teacher.id, randomUUID()].map(async (id) => {
        const reply = await lamb.call(lamb.south.admin, 'PUT', '/lamb/v1/organizations/current/budgets', {
          users: [{ user_id: id, tokens: 1, cost_micros: null }],
        });
        return { status: reply.status, print: fingerprint(reply, id) };
      }),
    );
    expect(found?.status).toBe(400);
    expect(found).toEqual(missing);
  });

  it('opens nothing when a key is made for it', async () => {
    const [, session] = await openDoors(lamb, lamb.south.teacher);
    const made = await Promise.all(
      [openNorth.assistant, absent.assistant].map(async (id) => {
        const reply = await ask(session ?? { headers: {} }, 'POST', '/lamb/v1/keys', {
          name: 'narrow',
          assistants: [Number(id)],
        });
        expect(reply.status).toBe(201);
        return (reply.body as { key: string }).key;
      }),
    );
    for (const [index, key] of made.entries()) {
      const models = await lamb.call({ key }, 'GET', '/v1/models');
      expect(models.body, `key ${index}`).toEqual({ object: 'list', data: [] });
      const used = await lamb.call({ key }, 'POST', `/lamb/v1/completions?assistant=${openNorth.assistant}`, {
        messages: [{ role: 'user', content: 'Hello' }],
      });
      expect(used.status).toBe(404);
    }
  });

  it('brings nothing into a prompt when an assistant’s tools name it', async () => {
    const replies = await Promise.all(
      [openNorth, absent].map(async (world, index) => {
        const path = index === 0 ? `notes/${NORTH}-open.md` : 'notes/none.md';
        const created = await lamb.call(lamb.south.teacher, 'POST', '/lamb/v1/assistants', {
          name: `thief ${index}`,
          prompt_template: '{rubric}{file}{user_input}',
          metadata: {
            assistant_type: 'multi_tool',
            connector: 'bypass',
            tools: [
              { type: 'rubric_rag', mode: 'context', enabled: true, config: { rubric_id: world.rubric } },
              { type: 'single_file_rag', mode: 'context', enabled: true, config: { file_path: path } },
            ],
          },
        });
        const { id } = Assistant.parse(created.body);
        const reply = await lamb.call(lamb.south.teacher, 'POST', `/lamb/v1/completions?assistant=${id}`, {
          messages: [{ role: 'user', content: 'Show me.' }],
        });
        expect(reply.status).toBe(200);
        const { choices, lamb: outcome } = reply.body as { choices: unknown; lamb: { problems: { tool: string }[] } };
        const problems = outcome.problems.toSorted((left, right) => left.tool.localeCompare(right.tool));
        expect(problems).toHaveLength(2);
        return JSON.stringify({ choices, problems }).replaceAll(path, '…').replaceAll(world.rubric, '…');
      }),
    );
    expect(replies[0]).not.toContain(NORTH);
    expect(replies[0]).toBe(replies[1]);
  });

  it('is not reached by a cursor of its list, nor by making its organisation the active one', async () => {
    await lamb.call(lamb.north.teacher, 'POST', `/lamb/v1/assistants/${north.assistant}/duplicate`);
    const page = await lamb.call(lamb.north.teacher, 'GET', '/lamb/v1/assistants?limit=1');
    const { next_cursor: cursor } = page.body as { next_cursor: string };
    expect(cursor).toEqual(expect.any(String));
    const stolen = await lamb.call(lamb.south.teacher, 'GET', `/lamb/v1/assistants?limit=100&cursor=${cursor}`);
    expect(stolen.status).toBe(200);
    expect(stolen.text).not.toContain(NORTH);

    const [, session] = await openDoors(lamb, lamb.south.teacher);
    if (!session) throw new Error('There is no session.');
    const refused = await ask(session, 'POST', '/api/auth/organization/set-active', {
      organizationId: lamb.north.id,
    });
    expect([403, 404]).toContain(refused.status);
    const me = await ask(session, 'GET', '/lamb/v1/me');
    expect(me.body).toMatchObject({ organization_id: lamb.south.id });
  });
});

describe('inside one organisation', () => {
  it('what a colleague has not shared gets the same answer as what does not exist', { timeout: TIMEOUT }, async () => {
    const before = await snapshot(lamb.north.teacher, north);
    for (const person of [lamb.north.colleague, lamb.north.student]) {
      for (const door of await openDoors(lamb, person)) {
        const outcomes = await compareIds(door, north);
        expect(outcomes.filter(({ same, status }) => !same || ![403, 404].includes(status))).toEqual([]);
        if (person === lamb.north.colleague) {
          expect(outcomes.filter((each) => each.status !== (each.adminsOnly ? 403 : 404))).toEqual([]);
        }
      }
    }
    expect(await snapshot(lamb.north.teacher, north)).toBe(before);
  });

  it('an administrator sees every assistant and its traces, and nobody’s files, rubrics, chats or keys', async () => {
    const [door] = await openDoors(lamb, lamb.north.admin);
    if (!door) throw new Error('There is no door.');
    const reads = listRoutesWithIds().filter(({ route }) => route.method === 'GET');
    const replies = await Promise.all(
      reads.map(async ({ route, kind }) => {
        const { status, text } = await ask(door, 'GET', fillPath(route.path, north[kind], north));
        return { kind, name: route.name, status, text };
      }),
    );
    for (const { kind, name, status, text } of replies) {
      // With an assistant everybody has a workspace of their own.
      if (name.includes('/workspace')) expect(text, name).not.toContain(`The workspace of ${NORTH}`);
      else expect(status, name).toBe(kind === 'assistant' || kind === 'member' || name.endsWith('/trace') ? 200 : 404);
    }
    expect((await ask(door, 'DELETE', `/lamb/v1/keys/${north.key}`)).status).toBe(404);
  });
});

describe('random reads across the border', () => {
  it('a thousand of them find no canary', { timeout: TIMEOUT }, async () => {
    const random = createRandom(20_261_115);
    const pick = <Item>(items: readonly Item[]): Item => {
      const item = items[Math.floor(random() * items.length)];
      if (item === undefined) throw new Error('There is nothing to pick from.');
      return item;
    };
    const sides = [
      { own: SOUTH, foreign: NORTH, world: openNorth, doors: strangers.map(({ door }) => door) },
      {
        own: NORTH,
        foreign: SOUTH,
        world: south,
        doors: (await Promise.all([lamb.north.admin, lamb.north.teacher].map((each) => openDoors(lamb, each)))).flat(),
      },
    ];
    const reads = routes.filter(
      ({ method, access }) => method === 'GET' && access !== undefined && access !== 'public' && access !== 'operator',
    );
    let seenOwn = 0;
    const readOnce = async () => {
      const { own, foreign, world, doors } = pick(sides);
      const route = pick(reads);
      const kind = kindOf(route);
      const path = fillPath(route.path, kind ? world[kind] : '1', world);
      const more = pick(['', 'limit=100', `search=${foreign}`, 'scope=visible', `assistant=${world.assistant}`]);
      const query = `${path.includes('?') ? '&' : '?'}${more}`;
      const { text } = await ask(pick(doors), 'GET', path + query);
      if (text.includes(own)) seenOwn += 1;
      return text.includes(foreign) ? [`${path}${query}`] : [];
    };
    const hits: string[] = [];
    for (let batch = 0; batch < 50; batch += 1) {
      hits.push(...(await Promise.all(Array.from({ length: 20 }, readOnce))).flat());
    }
    expect(hits).toEqual([]);
    expect(seenOwn, 'the reads that are allowed did find their own').toBeGreaterThan(20);
  });
});

/** Random numbers that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}
