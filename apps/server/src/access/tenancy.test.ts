import { Assistant, type ErrorCode } from '@lamb/contract';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createAccount } from '../accounts/create-account.ts';
import { createOrganization } from '../accounts/create-organization.ts';
import { openDoors, type Door } from '../auth/__fixtures__/open-doors.ts';
import { recordRoutes, type RecordedRoute } from '../routes/__fixtures__/record-routes.ts';
import { sampleBodies, sampleRubric } from '../routes/__fixtures__/sample-bodies.ts';
import { send } from '../routes/__fixtures__/send.ts';
import {
  makeKey,
  startTestServer,
  type Person,
  type Reply,
  type TestServer,
} from '../test-server/start-test-server.ts';
import { makeWorld, type World } from './__fixtures__/make-world.ts';

type Kind = keyof World;

/** What the id in an address names. A new route with an id must be listed here, and is then tested. */
const kinds: readonly (readonly [prefix: string, kind: Kind])[] = [
  ['/lamb/v1/assistants/:id', 'assistant'],
  ['/lamb/v1/rubrics/:id', 'rubric'],
  ['/lamb/v1/files/:id', 'file'],
  ['/lamb/v1/keys/:id', 'key'],
  ['/lamb/v1/runs/:id', 'run'],
];

/** Parts of addresses that name nothing of an organisation. */
const belongsToNobody = ['/lamb/v1/completions/tools/:name', '/api/auth/callback/:id'];

/** Fields of queries and bodies that cannot name somebody else's resource; what is in neither list must be looked at. */
const harmless = new Set(
  `limit cursor scope type search sort format from to
  name description system_prompt prompt_template RAG_Top_k version is_public rubric trusted_gateway expires_in_days path file
  setups kb_server features limits assistant_defaults
  messages stream stream_options lamb temperature top_p max_tokens max_completion_tokens stop presence_penalty
  frequency_penalty seed logit_bias response_format reasoning_effort`.split(/\s+/),
);
/** Fields that can; each has a test below. */
const naming = new Set(['assistant', 'assistant_id', 'model', 'emails', 'assistants', 'metadata', 'RAG_collections']);

const NORTH = 'canary-north-7f3a';
const SOUTH = 'canary-south-9c1e';

let lamb: TestServer;
let routes: RecordedRoute[];
let north: World;
let south: World;
let strangers: { who: string; door: Door; mayNeverSee: boolean }[];

beforeAll(async () => {
  const listRoutes = recordRoutes();
  lamb = await startTestServer();
  routes = listRoutes();
  [north, south] = await Promise.all([makeWorld(lamb, lamb.north, NORTH), makeWorld(lamb, lamb.south, SOUTH)]);
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
  key: randomUUID(),
  run: randomUUID(),
};

function kindOf({ path }: RecordedRoute): Kind | undefined {
  return kinds.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1];
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
    const wanting = routes.filter(({ schema, path }) => schema.body !== undefined && path !== '/lamb/v1/files');
    expect(wanting.map(({ name }) => name).toSorted()).toEqual(Object.keys(sampleBodies).toSorted());
  });
});

/** Compares, for one caller, what an id that is somebody else's gets with what an id gets that does not exist. */
async function compareIds(door: Door, foreign: World): Promise<{ name: string; same: boolean; status: number }[]> {
  return await Promise.all(
    listRoutesWithIds().map(async ({ route: { name, method, path }, kind }) => {
      const [theirs, nobodys] = await Promise.all(
        [foreign[kind], absent[kind]].map(async (id) => {
          const reply = await ask(door, method, path.replace(':id', id), sampleBodies[name]);
          return { status: reply.status, print: fingerprint(reply, id) };
        }),
      );
      return { name, same: theirs?.print === nobodys?.print, status: theirs?.status ?? 0 };
    }),
  );
}

/** Everything that an organisation's teacher has, as they see it. */
async function snapshot(teacher: Person, world: World): Promise<string> {
  const paths = listRoutesWithIds()
    .filter(({ route }) => route.method === 'GET')
    .map(({ route, kind }) => route.path.replace(':id', world[kind]));
  const replies = await Promise.all(['/lamb/v1/keys', ...paths].map((path) => lamb.call(teacher, 'GET', path)));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  return replies.map(({ text }) => text).join('\n');
}

describe('an id of another organisation', () => {
  it('gets the same answer as one that does not exist, on every route and through every door', async () => {
    const before = await snapshot(lamb.north.teacher, north);
    for (const { who, door, mayNeverSee } of strangers) {
      const outcomes = await compareIds(door, north);
      expect(
        outcomes.filter(({ same }) => !same),
        `${who} with a ${door.name} can tell them apart`,
      ).toEqual([]);
      const refusals = mayNeverSee ? [403, 404] : [404];
      expect(
        outcomes.filter(({ status }) => !refusals.includes(status)),
        `${who} with a ${door.name} is not told 404`,
      ).toEqual([]);
    }
    expect(await snapshot(lamb.north.teacher, north), 'nothing has changed there').toBe(before);
  });

  it('gets the same answer as a model or as `?assistant=`', async () => {
    const messages = [{ role: 'user', content: 'Who are you?' }];
    const names = (id: string, name: string) => [`lamb_assistant.${id}`, id, `LAMB:${name}`, name];
    lamb.llm.reset();
    for (const { who, door } of strangers) {
      for (const stream of [false, true]) {
        const theirs = names(north.assistant, NORTH);
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
          const found = await ask(door, 'POST', path + north.assistant, { messages, stream });
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
    await vi.waitFor(async () => {
      const path = `/lamb/v1/organizations/current/usage?${range}&assistant=${south.assistant}`;
      expect((await lamb.call(lamb.south.admin, 'GET', path)).body).toMatchObject({ runs: 1 });
    });
    expect(mine?.status).toBe(200);
  });

  it('cannot be shared with by e-mail', async () => {
    const path = `/lamb/v1/assistants/${south.assistant}/shares`;
    const theirs = lamb.north.colleague.email;
    const nobodys = 'nobody@nowhere.test';
    const found = await lamb.call(lamb.south.teacher, 'PUT', path, { emails: [theirs] });
    const missing = await lamb.call(lamb.south.teacher, 'PUT', path, { emails: [nobodys] });
    expect(found.status).toBe(400);
    expect(fingerprint(found, theirs)).toBe(fingerprint(missing, nobodys));
  });

  it('opens nothing when a key is made for it', async () => {
    const [, session] = await openDoors(lamb, lamb.south.teacher);
    const made = await Promise.all(
      [north.assistant, absent.assistant].map(async (id) => {
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
      const used = await lamb.call({ key }, 'POST', `/lamb/v1/completions?assistant=${north.assistant}`, {
        messages: [{ role: 'user', content: 'Hello' }],
      });
      expect(used.status).toBe(404);
    }
  });

  it('brings nothing into a prompt when an assistant’s tools name it', async () => {
    const replies = await Promise.all(
      [north, absent].map(async (world, index) => {
        const path = index === 0 ? `notes/${NORTH}.md` : 'notes/none.md';
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
  it('what a colleague has not shared gets the same answer as what does not exist', async () => {
    const before = await snapshot(lamb.north.teacher, north);
    for (const person of [lamb.north.colleague, lamb.north.student]) {
      for (const door of await openDoors(lamb, person)) {
        const outcomes = await compareIds(door, north);
        expect(outcomes.filter(({ same, status }) => !same || ![403, 404].includes(status))).toEqual([]);
        if (person === lamb.north.colleague) {
          expect(outcomes.filter(({ status }) => status !== 404)).toEqual([]);
        }
      }
    }
    expect(await snapshot(lamb.north.teacher, north)).toBe(before);
  });

  it('an administrator sees every assistant, and nobody’s files, rubrics or keys', async () => {
    const [door] = await openDoors(lamb, lamb.north.admin);
    if (!door) throw new Error('There is no door.');
    const reads = listRoutesWithIds().filter(({ route }) => route.method === 'GET');
    const replies = await Promise.all(
      reads.map(async ({ route, kind }) => ({
        kind,
        name: route.name,
        status: (await ask(door, 'GET', route.path.replace(':id', north[kind]))).status,
      })),
    );
    for (const { kind, name, status } of replies) {
      expect(status, name).toBe(kind === 'assistant' || kind === 'run' ? 200 : 404);
    }
    expect((await ask(door, 'DELETE', `/lamb/v1/keys/${north.key}`)).status).toBe(404);
  });

  it('shared is readable and usable, not editable; published is usable; a student never sees the prompt', async () => {
    const { teacher, colleague, student } = lamb.north;
    const created = await lamb.call(teacher, 'POST', '/lamb/v1/assistants', {
      name: 'Tutor',
      system_prompt: 'secret-prompt-5d2',
    });
    const { id } = Assistant.parse(created.body);
    const path = `/lamb/v1/assistants/${id}`;
    const chat = (person: Person) =>
      lamb.call(person, 'POST', `/lamb/v1/completions?assistant=${id}`, {
        messages: [{ role: 'user', content: 'Hello' }],
      });

    await lamb.call(teacher, 'PUT', `${path}/shares`, { emails: [colleague.email, student.email] });
    expect((await lamb.call(colleague, 'GET', path)).body).toMatchObject({ system_prompt: 'secret-prompt-5d2' });
    expect((await chat(colleague)).status).toBe(200);
    expect((await chat(student)).status).toBe(200);
    const refused: [string, string, unknown?][] = [
      ['PATCH', path, { name: 'Mine now' }],
      ['DELETE', path],
      ['GET', `${path}/shares`],
      ['PUT', `${path}/shares`, { emails: [] }],
      ['PUT', `${path}/publication`],
      ['DELETE', `${path}/publication`],
    ];
    for (const [method, address, body] of refused) {
      const reply = await lamb.call(colleague, method, address, body);
      expect(reply.status, `${method} ${address}`).toBe(403);
      expect(reply.body).toMatchObject({ code: 'forbidden' satisfies ErrorCode });
    }

    await lamb.call(teacher, 'PUT', `${path}/shares`, { emails: [] });
    expect((await chat(colleague)).status).toBe(404);
    expect((await lamb.call(colleague, 'GET', path)).status).toBe(404);

    await lamb.call(teacher, 'PUT', `${path}/publication`);
    expect((await chat(colleague)).status).toBe(200);
    expect((await chat(student)).status).toBe(200);
    expect((await lamb.call(colleague, 'GET', path)).status).toBe(403);
    for (const door of await openDoors(lamb, student)) {
      const seen = await Promise.all(
        ['/v1/models', '/lamb/v1/assistants', '/lamb/v1/assistants?scope=published', path, `${path}/export`].map(
          (address) => ask(door, 'GET', address),
        ),
      );
      expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 403, 403]);
      expect(seen.map(({ text }) => text).join()).toContain('Tutor');
      expect(seen.map(({ text }) => text).join()).not.toContain('secret-prompt-5d2');
    }

    await lamb.call(teacher, 'DELETE', `${path}/publication`);
    expect((await chat(student)).status).toBe(404);
  });
});

describe('what a body says about identity', () => {
  const claims = () => ({
    id: Number(north.assistant),
    rubric_id: north.rubric,
    organization_id: lamb.north.id,
    organizationId: lamb.north.id,
    owner: lamb.north.teacher.email,
    owner_id: lamb.north.teacher.id,
    ownerId: lamb.north.teacher.id,
    user_id: lamb.north.teacher.id,
    role: 'owner',
    created_at: 1,
    updated_at: 1,
    published: true,
    version_of: 1,
  });

  it('is ignored when an assistant is made, changed or imported', async () => {
    const { teacher } = lamb.south;
    const now = Math.floor(Date.now() / 1000);
    const created = await lamb.call(teacher, 'POST', '/lamb/v1/assistants', { ...claims(), name: 'Claim' });
    expect(created.status).toBe(201);
    const assistant = Assistant.parse(created.body);
    const changed = await lamb.call(teacher, 'PATCH', `/lamb/v1/assistants/${assistant.id}`, {
      ...claims(),
      description: 'x',
    });
    const imported = await lamb.call(teacher, 'POST', '/lamb/v1/assistants/import', {
      ...claims(),
      name: 'Imported claim',
      system_prompt: '',
      metadata: '{}',
    });
    expect(imported.status).toBe(201);
    const { assistant: copy, dropped } = imported.body as { assistant: unknown; dropped: string[] };
    expect(dropped.toSorted()).toEqual(Object.keys(claims()).toSorted());
    for (const each of [assistant, Assistant.parse(changed.body), Assistant.parse(copy)]) {
      expect(each).toMatchObject({ owner: teacher.email, organization_id: lamb.south.id, published: false });
      expect(each.id).not.toBe(Number(north.assistant));
      expect(each.created_at).toBeGreaterThan(now - 60);
    }
    expect(changed.body).toMatchObject({ id: assistant.id });
  });

  it('is ignored when a rubric, a file or a key is made', async () => {
    const { teacher, student } = lamb.south;
    const rubric = await lamb.call(teacher, 'POST', '/lamb/v1/rubrics', { ...claims(), rubric: sampleRubric });
    expect(rubric.body).toMatchObject({ owner: teacher.email });
    const { rubric_id: rubricId, created_at: createdAt } = rubric.body as { rubric_id: string; created_at: number };
    expect(rubricId).not.toBe(north.rubric);
    expect(createdAt).toBeGreaterThan(1);
    const replaced = await lamb.call(teacher, 'PUT', `/lamb/v1/rubrics/${rubricId}`, {
      ...claims(),
      rubric: sampleRubric,
    });
    expect(replaced.body).toMatchObject({ rubric_id: rubricId, owner: teacher.email });

    const form = new FormData();
    form.append('id', north.file);
    form.append('owner', lamb.north.teacher.email);
    form.append('organization_id', lamb.north.id);
    form.append('file', new Blob(['mine']), 'claims.md');
    const headers = { authorization: `Bearer ${teacher.key}` };
    const file = await send(lamb, 'POST', '/lamb/v1/files', { headers, body: form });
    expect(file.body).toMatchObject({ owner: teacher.email, path: 'claims.md' });
    expect(file.body).not.toMatchObject({ id: north.file });

    const [, session] = await openDoors(lamb, student);
    const key = await ask(session ?? { headers: {} }, 'POST', '/lamb/v1/keys', { ...claims(), name: 'claims' });
    expect(key.status).toBe(201);
    const me = await lamb.call(key.body as { key: string }, 'GET', '/lamb/v1/me');
    expect(me.body).toMatchObject({ user_id: student.id, organization_id: lamb.south.id, role: 'end_user' });
  });

  it('is ignored in the organisation’s configuration: the caller’s own is changed', async () => {
    const path = '/lamb/v1/organizations/current/config';
    const before = await lamb.call(lamb.north.admin, 'GET', path);
    const mine = await lamb.call(lamb.south.admin, 'GET', path);
    const { config } = mine.body as { config: Record<string, unknown> };
    const changed = await lamb.call(lamb.south.admin, 'PUT', path, { ...config, ...claims() });
    expect(changed.status).toBe(200);
    expect((await lamb.call(lamb.north.admin, 'GET', path)).text).toBe(before.text);
    expect((await lamb.call(lamb.south.admin, 'GET', '/lamb/v1/me')).body).toMatchObject({
      organization_id: lamb.south.id,
    });
    await lamb.call(lamb.south.admin, 'PUT', path, config);
  });
});

describe('an import with ids of another organisation', () => {
  it('drops and names them, and what it refers to stays out of reach', async () => {
    const exported = await lamb.call(lamb.north.teacher, 'GET', `/lamb/v1/assistants/${north.assistant}/export`);
    const imported = await lamb.call(lamb.south.teacher, 'POST', '/lamb/v1/assistants/import', {
      ...(exported.body as Record<string, unknown>),
      api_key: 'sk-foreign-secret',
    });
    expect(imported.status).toBe(201);
    const { assistant, dropped } = imported.body as { assistant: unknown; dropped: string[] };
    for (const field of ['id', 'organization_id', 'owner', 'published', 'created_at', 'api_callback', 'api_key']) {
      expect(dropped, field).toContain(field);
    }
    expect(imported.text).not.toContain('sk-foreign-secret');
    const { id, owner } = Assistant.parse(assistant);
    expect(owner).toBe(lamb.south.teacher.email);
    lamb.llm.reset();
    const turn = await lamb.call(lamb.south.teacher, 'POST', `/lamb/v1/completions?assistant=${id}`, {
      messages: [{ role: 'user', content: 'Show me the notes.' }],
    });
    expect(turn.status).toBe(200);
    expect((turn.body as { lamb: { problems: unknown[] } }).lamb.problems).toHaveLength(2);
    expect(JSON.stringify(lamb.llm.requests)).not.toContain(`The notes of ${NORTH}`);
    await lamb.call(lamb.south.teacher, 'DELETE', `/lamb/v1/assistants/${id}`);
  });
});

describe('an organisation without provider settings', () => {
  it('is told what to do, and no provider hears of it', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-operator');
    vi.stubEnv('OPENAI_BASE_URL', `${lamb.llm.url}/v1`);
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-operator');
    const organizationId = await createOrganization(lamb.services.db, { name: 'West university', slug: 'west' });
    const userId = await createAccount(lamb.services, {
      email: 'teacher@west.test',
      name: 'teacher',
      password: 'correct horse battery',
      organizationId,
      role: 'owner',
    });
    const person = { key: await makeKey(lamb.services, { userId, organizationId }) };
    lamb.llm.reset();
    lamb.kb.reset();
    const messages = [{ role: 'user', content: 'Hello' }];
    for (const connector of ['openai', 'ollama', 'anthropic', 'banana_img']) {
      const created = await lamb.call(person, 'POST', '/lamb/v1/assistants', {
        name: connector,
        metadata: { connector, llm: 'gpt-4o-mini', rag_processor: 'simple_rag' },
        RAG_collections: '1',
      });
      const { id } = Assistant.parse(created.body);
      for (const stream of [false, true]) {
        const reply = await lamb.call(person, 'POST', `/lamb/v1/completions?assistant=${id}`, { messages, stream });
        expect(reply.status, connector).toBe(422);
        expect(reply.body).toMatchObject({
          code: 'provider_not_configured',
          title: `The organisation has not set up the provider “${connector}”, and has no default model.`,
          next: 'An administrator of the organisation adds a provider under /lamb/v1/organizations/current/config.',
        });
        const model = `lamb_assistant.${id}`;
        const openai = await lamb.call(person, 'POST', '/v1/chat/completions', { model, messages, stream });
        expect(openai.status).toBe(422);
        expect(openai.body).toMatchObject({
          error: { code: 'provider_not_configured', type: 'invalid_request_error' },
        });
      }
    }
    // A model that needs no provider still has no knowledge-base server to ask.
    const created = await lamb.call(person, 'POST', '/lamb/v1/assistants', {
      name: 'bypass',
      metadata: { connector: 'bypass', rag_processor: 'simple_rag' },
      RAG_collections: '1',
    });
    const { id } = Assistant.parse(created.body);
    const reply = await lamb.call(person, 'POST', `/lamb/v1/completions?assistant=${id}`, { messages });
    expect(reply.body).toMatchObject({
      lamb: { problems: [{ tool: 'simple_rag', message: expect.stringContaining('an administrator can set one up') }] },
    });
    expect(lamb.llm.requests).toEqual([]);
    expect(lamb.kb.requests).toEqual([]);
    vi.unstubAllEnvs();
  });
});

describe('random reads across the border', () => {
  it('a thousand of them find no canary', async () => {
    const random = createRandom(20_261_115);
    const pick = <Item>(items: readonly Item[]): Item => {
      const item = items[Math.floor(random() * items.length)];
      if (item === undefined) throw new Error('There is nothing to pick from.');
      return item;
    };
    const sides = [
      { own: SOUTH, foreign: NORTH, world: north, doors: strangers.map(({ door }) => door) },
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
      const path = route.path.replace(':id', kind ? world[kind] : '1').replace(':name', 'simple_rag');
      const query = pick(['', '?limit=100', `?search=${foreign}`, '?scope=visible', `?assistant=${world.assistant}`]);
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

describe('one database connection, handed from organisation to organisation', () => {
  it('carries nothing over', async () => {
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
