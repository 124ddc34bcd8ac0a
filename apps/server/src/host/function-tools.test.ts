import { messageText, type ChatMessage, type Principal, type RunEvent, type ToolEntry } from '@lamb/contract';
import { withTenant } from '@lamb/store';
import { sql } from 'kysely';
import { makePng, startWeatherServer, type LlmReply, type WeatherServer } from '@lamb/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import { createRubric } from '../completions/__fixtures__/create-rubric.ts';
import { streamCompletion } from '../completions/__fixtures__/stream-completion.ts';
import { uploadFile } from '../completions/__fixtures__/upload-file.ts';
import { resolveModel } from '../completions/resolve-model.ts';
import { loadOrganizationSetup } from '../organization/load-organization-setup.ts';
import {
  startTestServer,
  testOrganizationConfig,
  type Person,
  type TestServer,
} from '../test-server/start-test-server.ts';
import { generateImage } from './generate-image.ts';

let lamb: TestServer;
let weather: WeatherServer;

beforeAll(async () => {
  weather = await startWeatherServer();
  lamb = await startTestServer({
    LAMB_OUTBOUND_ALLOW: new URL(weather.url).host,
    LAMB_WEATHER_GEOCODING_URL: weather.geocodingUrl,
    LAMB_WEATHER_FORECAST_URL: weather.forecastUrl,
  });
});
afterAll(async () => {
  await lamb.stop();
  await weather.stop();
});
beforeEach(() => {
  lamb.llm.reset();
  lamb.kb.reset();
  weather.reset();
});

type Entry = Pick<ToolEntry, 'type'> & Partial<ToolEntry>;

/** A student asks an assistant with these functions; gives what the model was offered and told. */
async function turn(tools: readonly Entry[], ...script: LlmReply[]) {
  const { model } = await createAssistant(lamb, lamb.north.teacher, {
    name: `Assistant ${crypto.randomUUID()}`,
    tools: tools.map((tool) => ({ mode: 'function' as const, config: {}, ...tool })),
    published: true,
  });
  lamb.llm.script(...script);
  const { events, text } = await streamCompletion(lamb, lamb.north.student, {
    model,
    messages: [{ role: 'user', content: 'Please.' }],
  });
  const first = lamb.llm.requests[0]?.body as { tools: { function: { name: string } }[] };
  const last = lamb.llm.requests.at(-1)?.body as { messages: ChatMessage[] };
  return {
    text,
    runId: events[0]?.run_id ?? '',
    offered: first.tools.map((tool) => tool.function.name),
    told: last.messages.filter(({ role }) => role === 'tool').map(messageText),
    finished: events.filter(
      (event): event is Extract<RunEvent, { type: 'call.finished' }> => event.type === 'call.finished',
    ),
  };
}

const call = (name: string, given: Record<string, unknown> = {}) => ({ name, arguments: given });
const answer: LlmReply = { text: 'Here you are.' };

test('the weather is asked for at the configured addresses', async () => {
  const { offered, told, text } = await turn(
    [{ type: 'weather' }],
    { toolCalls: [call('get_weather', { city: 'Bilbao' })] },
    answer,
  );
  expect(offered).toEqual(['get_weather']);
  expect(told).toEqual([expect.stringContaining('Weather in Bilbao, Basque Country, Spain')]);
  expect(told[0]).toContain('18.4 °C');
  expect(text).toBe('Here you are.');
});

test.each([
  ['fails', { status: 500 }, 'The weather service answered with status 500.'],
  ['hangs', { hang: true }, 'It took longer than 300 ms.'],
  ['talks nonsense', { garbage: true }, 'The weather service gave an answer that cannot be read.'],
])('when the weather service %s, the model is told and answers', async (_what, fault, problem) => {
  weather.fail({ ...fault, times: 'always' });
  const { told, text, finished } = await turn(
    [{ type: 'weather', timeout_ms: 'hang' in fault ? 300 : 5000 }],
    { toolCalls: [call('get_weather', { city: 'Bilbao' })] },
    answer,
  );
  expect({ told, text }).toEqual({ told: [problem], text: 'Here you are.' });
  expect(finished).toMatchObject([{ outcome: 'failed', problem }]);
});

test('two knowledge bases, a rubric and a file are four functions', async () => {
  const { teacher } = lamb.north;
  const notes = String(lamb.kb.addCollection('notes', [{ text: 'A force changes motion.' }]));
  const terms = String(lamb.kb.addCollection('terms', [{ text: 'A term is a word.' }]));
  const rubric = await createRubric(lamb, teacher, 'Essay rubric');
  await uploadFile(lamb, teacher, 'course/plan.md', 'Week 1: forces.');
  const { offered, told } = await turn(
    [
      { type: 'simple_rag', config: { collections: [notes] } },
      { type: 'simple_rag', config: { collections: [terms], name: 'Glossary' } },
      { type: 'rubric_rag', config: { rubric_id: rubric.id } },
      { type: 'single_file_rag', config: { file_path: 'course/plan.md' } },
    ],
    {
      toolCalls: [
        call(`query_knowledge_base_${notes}`, { query: 'force', collection: terms }),
        call('query_glossary', { query: 'term' }),
        call('get_rubric'),
        call('read_file', { file_path: '/etc/passwd' }),
      ],
    },
    answer,
  );
  expect(offered).toEqual([`query_knowledge_base_${notes}`, 'query_glossary', 'get_rubric', 'read_file']);
  expect(told).toEqual([
    'A force changes motion.',
    'A term is a word.',
    expect.stringContaining('# Rubric: Essay rubric'),
    'Week 1: forces.',
  ]);
});

describe('an assessment', () => {
  test('asks the assistant’s own model for each criterion, and books it on the run', async () => {
    const { teacher, student } = lamb.north;
    const rubric = await createRubric(lamb, teacher, 'Marking');
    const { told, runId } = await turn(
      [{ type: 'rubric_eval', config: { rubric_id: rubric.id } }],
      { toolCalls: [call('evaluate_with_rubric', { text: 'My essay.' })] },
      { text: '{"level": 2, "reason": "It rambles."}', usage: { promptTokens: 70, completionTokens: 7 } },
      answer,
    );
    expect(told).toEqual([expect.stringContaining('Unclear, 1 points. It rambles.\n\nTotal score: 2.5 of 10')]);
    expect(lamb.llm.requests.map(({ body }) => (body as { model: string }).model)).toEqual(
      Array.from({ length: 3 }, () => 'gpt-4o-mini'),
    );
    await lamb.services.usageRecorder.flush();
    const used = await listUsage(runId);
    expect(used).toContainEqual({ user_id: student.id, prompt_tokens: 70, completion_tokens: 7 });
  });

  test('says what the provider said when it fails', async () => {
    const rubric = await createRubric(lamb, lamb.north.teacher, 'Failing');
    const { finished } = await turn(
      [{ type: 'rubric_eval', config: { rubric_id: rubric.id } }],
      { toolCalls: [call('evaluate_with_rubric', { text: 'My essay.' })] },
      { faults: { status: 400 } },
      answer,
    );
    expect(finished).toMatchObject([{ outcome: 'failed' }]);
    expect(finished[0]?.problem).not.toBe('It failed unexpectedly.');
  });
});

describe('an image', () => {
  const draw = { toolCalls: [call('generate_image', { prompt: 'A lamb.' })] };

  const banana = { base_url: '', api_key: 'g', models: ['gemini-image'], enabled: true };
  const get = async (url: string, person: Person) =>
    await fetch(`${lamb.url}${url}`, { headers: { authorization: `Bearer ${person.key}` } });

  test('is a file of the person who asked: they open it, and nobody else', async () => {
    await configure({ banana_img: { ...banana, base_url: lamb.llm.url } });
    const { told, finished } = await turn([{ type: 'image_gen' }], draw, { images: 1 }, answer);
    const url = /^!\[A lamb\.\]\((\/lamb\/v1\/files\/[\w-]+\/content)\)$/.exec(told[0] ?? '')?.[1];
    expect(url).toBeDefined();
    expect(finished).toMatchObject([{ outcome: 'done', artifacts: [{ kind: 'image', title: 'A lamb.', url }] }]);
    const stored = await get(url ?? '', lamb.north.student);
    expect(stored.status).toBe(200);
    expect(stored.headers.get('content-type')).toBe('image/png');
    expect(stored.headers.get('content-security-policy')).toContain('sandbox');
    expect(Buffer.from(await stored.arrayBuffer())).toEqual(makePng(0));
    const others = [lamb.north.teacher, lamb.north.admin, lamb.north.colleague, lamb.south.student, lamb.south.admin];
    for (const person of others) expect((await get(url ?? '', person)).status, person.email).toBe(404);
    expect((await lamb.call(lamb.north.student, 'GET', '/lamb/v1/files')).status, 'no list, no upload').toBe(403);
    const remove = await lamb.call(lamb.north.student, 'DELETE', (url ?? '').replace('/content', ''));
    expect(remove.status).toBe(403);
  });

  test('is made once for a call, also when the call is begun again', async () => {
    await configure({ banana_img: { ...banana, base_url: lamb.llm.url } });
    const { told, finished, runId } = await turn([{ type: 'image_gen' }], draw, { images: 1 }, answer);
    const asked = lamb.llm.requests.length;
    const { db, secretBox } = lamb.services;
    const setup = await withTenant(db, lamb.north.id, (tx) => loadOrganizationSetup(tx, secretBox));
    const { id: userId, email } = lamb.north.student;
    const principal: Principal = {
      userId,
      email,
      name: 'Student',
      organizationId: lamb.north.id,
      role: 'end_user',
      systemAdmin: false,
      via: 'api_key',
      assistants: 'all',
      endUser: { id: userId },
    };
    const model = resolveModel({ connector: 'banana_img', model: '' }, setup, lamb.services.catalogue);
    const generate = (callId: string) =>
      generateImage(
        { prompt: 'A lamb.', key: `${runId}:${callId}` },
        { setup, run: { principal, runId, assistantId: 1, model } },
        lamb.services,
        new AbortController().signal,
      );
    expect(told).toEqual([`![A lamb.](${(await generate(finished[0]?.call_id ?? '')).url})`]);
    expect(lamb.llm.requests).toHaveLength(asked);
    lamb.llm.script({ images: 1 });
    expect(told[0]).not.toContain((await generate('call_other')).url);
    expect(lamb.llm.requests).toHaveLength(asked + 1);
  });

  test('is paid as one, by its price, before and after', async () => {
    await configure({ banana_img: { ...banana, base_url: lamb.llm.url } });
    const current = '/lamb/v1/organizations/current';
    const price = { connector: 'banana_img', model: 'gemini-image', prompt_micros: 0, completion_micros: 0 };
    await lamb.call(lamb.north.admin, 'PUT', `${current}/prices`, { prices: [{ ...price, image_micros: 40_000 }] });
    const cap = (micros: number | null) =>
      lamb.call(lamb.north.admin, 'PUT', `${current}/budgets/users/${lamb.north.student.id}`, { cost_micros: micros });
    await cap(45_000);
    const { runId, told } = await turn([{ type: 'image_gen' }], draw, { images: 1 }, answer);
    expect(told[0]).toContain('![A lamb.]');
    const { rows } = await withTenant(lamb.services.db, lamb.north.id, (tx) =>
      sql`select images, cost_micros from lamb.usage_ledger where run_id = ${runId} and connector = 'banana_img'`.execute(
        tx,
      ),
    );
    expect(rows).toEqual([{ images: 1, cost_micros: 40_000 }]);
    const second = await turn([{ type: 'image_gen' }], draw, answer);
    expect(second.told[0]).toContain('do not suffice');
    await lamb.call(lamb.north.admin, 'DELETE', `${current}/budgets/users/${lamb.north.student.id}`);
  });

  test('needs a provider that makes images', async () => {
    await configure({});
    const { told } = await turn([{ type: 'image_gen' }], draw, answer);
    expect(told).toEqual([expect.stringContaining('has not set up the provider “banana_img”')]);
  });

  test('that the provider did not make is a failure', async () => {
    await configure({ banana_img: { base_url: lamb.llm.url, api_key: 'g', models: ['gemini-image'], enabled: true } });
    const { told } = await turn([{ type: 'image_gen' }], draw, { text: 'I cannot draw.' }, answer);
    expect(told).toEqual(['The image provider gave no image.']);
  });
});

async function configure(more: Record<string, unknown>): Promise<void> {
  const config = testOrganizationConfig(lamb.llm, lamb.kb);
  const setup = config.setups['default'];
  const changed = { ...config, setups: { default: { ...setup, providers: { ...setup?.providers, ...more } } } };
  const stored = await lamb.call(lamb.north.admin, 'PUT', '/lamb/v1/organizations/current/config', changed);
  expect(stored.status).toBe(200);
}

async function listUsage(runId: string): Promise<unknown[]> {
  const { db } = lamb.services;
  return await withTenant(db, lamb.north.id, (tx) =>
    tx
      .selectFrom('lamb.usage_ledger')
      .select(['user_id', 'prompt_tokens', 'completion_tokens'])
      .where('run_id', '=', runId)
      .execute(),
  );
}
