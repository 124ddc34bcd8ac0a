import type { ConnectionTest } from '@lamb/contract';
import { startLlmServer, startMoodleServer, type LlmServer, type MoodleServer } from '@lamb/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addOrganization } from '../budget/__fixtures__/add-organization.ts';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';

let lamb: TestServer;
let admin: Person;
/** A provider that wants its own key. */
let strict: LlmServer;
let moodle: MoodleServer;
/** Somebody's server that writes down what it is sent. */
let thief: Server;
const stolen: string[] = [];

const KEY = 'sk-test-openai';
const current = '/lamb/v1/organizations/current';

beforeAll(async () => {
  strict = await startLlmServer({ key: 'sk-strict' });
  moodle = await startMoodleServer({ users: [] });
  thief = createServer((request, response) => {
    stolen.push(JSON.stringify(request.headers));
    response.end('{"data":[]}');
  });
  await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
  lamb = await startTestServer({
    LAMB_OUTBOUND_ALLOW: [strict.url, moodle.url, thiefUrl()].map((url) => new URL(url).host).join(','),
  });
  ({ admin } = lamb.north);
});
afterAll(async () => {
  await lamb.stop();
  await Promise.all([strict.stop(), moodle.stop()]);
  thief.close();
});

const thiefUrl = () => `http://127.0.0.1:${String((thief.address() as AddressInfo).port)}`;

async function test(what: string, body: unknown = {}, person = admin): Promise<ConnectionTest> {
  const reply = await lamb.call(person, 'POST', `${current}/${what}/test`, body);
  expect(reply.status, reply.text).toBe(200);
  return reply.body as ConnectionTest;
}

describe('a provider', () => {
  it('is listed with what is set up, and without its key', async () => {
    const reply = await lamb.call(admin, 'GET', `${current}/providers`);
    expect(reply.text).not.toContain(KEY);
    expect(reply.body).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({
          name: 'openai',
          configured: true,
          enabled: true,
          has_key: true,
          requires: ['api_key'],
        }),
        expect.objectContaining({ name: 'ollama', has_key: false, requires: ['base_url'] }),
        expect.objectContaining({ name: 'anthropic', configured: false, models: [] }),
      ]),
    });
    expect(reply.text).not.toContain('bypass');
  });

  it('that works says so, with its models, as saved or as it would be saved', async () => {
    const saved = await test('providers/openai');
    expect(saved).toMatchObject({ ok: true, outcome: 'ok', next: null });
    expect(saved.models).toContain('gpt-4o-mini');
    const unsaved = await test('providers/openai', { base_url: `${strict.url}/v1`, api_key: 'sk-strict' });
    expect(unsaved).toMatchObject({ ok: true });
    expect((await test('providers/ollama')).models).toContain('llama3.2:latest');
    expect((await lamb.call(admin, 'GET', `${current}/providers/openai/models`)).body).toMatchObject({
      models: expect.arrayContaining(['gpt-4o']),
    });
    expect((await lamb.call(admin, 'GET', `${current}/config`)).text).not.toContain('sk-strict');
  });

  it('is asked for one answer where a model is named, and that is booked', async () => {
    lamb.llm.reset();
    lamb.llm.script({ text: 'OK', usage: { promptTokens: 7, completionTokens: 1 } });
    expect(await test('providers/openai', { model: 'gpt-4o' })).toMatchObject({ ok: true });
    await lamb.services.usageRecorder.flush();
    const today = new Date().toISOString().slice(0, 10);
    const usage = await lamb.call(admin, 'GET', `${current}/usage/series?from=${today}&by=assistant`);
    expect(usage.body).toMatchObject({ series: [{ key: null, calls: 1, total_tokens: 8 }] });
    lamb.llm.script({ faults: { status: 404 } });
    expect(await test('providers/openai', { model: 'gpt-9' })).toMatchObject({ ok: false, outcome: 'not_found' });
  });

  it.each([
    ['another key', { base_url: 'STRICT/v1', api_key: 'sk-wrong' }, 'credentials_rejected'],
    ['nobody there', { base_url: 'http://203.0.113.1.invalid/v1', api_key: 'k' }, 'unreachable'],
    ['the wrong path', { base_url: 'STRICT/v7', api_key: 'sk-strict' }, 'not_found'],
    ['something else', { base_url: 'THIEF', api_key: 'k' }, 'ok'],
    ['no key', { base_url: 'THIEF' }, 'not_configured'],
    ['an empty key', { base_url: 'THIEF', api_key: '' }, 'not_configured'],
  ])('with %s says what is wrong: %#', async (_what, body, outcome) => {
    const base_url = body.base_url.replace('STRICT', strict.url).replace('THIEF', thiefUrl());
    const tested = await test('providers/openai', { ...body, base_url });
    expect(tested.outcome).toBe(outcome);
    if (outcome !== 'ok') expect(tested.next).toEqual(expect.any(String));
  });

  it.each([
    'http://127.0.0.1:1/v1',
    'http://127.1:1/v1',
    'http://2130706433:1/v1',
    'http://[::ffff:a9fe:a9fe]/v1',
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/v1',
    'file:///etc/passwd',
    'http://api.openai.com@127.0.0.1:1/v1',
  ])('at %s is not called', async (base_url) => {
    const { admin: other } = await addOrganization(lamb);
    for (const body of [
      { base_url, api_key: 'k' },
      { base_url, api_key: 'k', model: 'm' },
    ]) {
      expect(await test('providers/openai', body, other)).toMatchObject({ ok: false, outcome: 'address_refused' });
    }
    for (const service of ['knowledge-server', 'moodle']) {
      expect(await test(service, { url: base_url, secret: 'k' }, other)).toMatchObject({ outcome: 'address_refused' });
    }
  });

  it('never gets the key that was saved for another address', async () => {
    stolen.length = 0;
    await test('providers/openai', { base_url: thiefUrl() }, lamb.south.admin);
    await test('providers/openai', { base_url: `${thiefUrl()}/v1`, model: 'm' }, lamb.south.admin);
    await test('knowledge-server', { url: thiefUrl() }, lamb.south.admin);
    expect(stolen.join()).not.toContain(KEY);
    expect(stolen.join()).not.toContain(lamb.kb.token);
  });

  it('is the administrators’ matter, and tried so often only', async () => {
    const teacher = await lamb.call(lamb.north.teacher, 'POST', `${current}/providers/openai/test`, {});
    expect(teacher.status).toBe(403);
    expect((await lamb.call(admin, 'POST', `${current}/providers/bypass/test`, {})).status).toBe(404);
    expect((await lamb.call(admin, 'POST', `${current}/providers/__proto__/test`, {})).status).toBe(404);
    const replies = await Promise.all(
      Array.from({ length: 60 }, () => lamb.call(admin, 'POST', `${current}/moodle/test`, {})),
    );
    expect(replies.some(({ status }) => status === 429)).toBe(true);
  });
});

describe('another service', () => {
  it('is tried as it is saved, or as it would be', async () => {
    const { admin: other } = lamb.south;
    expect(await test('knowledge-server', {}, other)).toMatchObject({ ok: true });
    expect(await test('knowledge-server', { secret: 'wrong' }, other)).toMatchObject({
      outcome: 'credentials_rejected',
    });
    expect(await test('moodle', {}, other)).toMatchObject({ outcome: 'not_configured' });
    const working = { url: moodle.url, secret: moodle.token };
    expect(await test('moodle', working, other)).toMatchObject({ ok: true });
    expect(await test('moodle', { ...working, secret: 'wrong' }, other)).toMatchObject({
      outcome: 'credentials_rejected',
    });
  });
});

describe('the configuration, changed by parts', () => {
  const patch = async (body: unknown, version?: string) => {
    const reply = await fetch(`${lamb.url}${current}/config`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${lamb.south.admin.key}`,
        'content-type': 'application/json',
        ...(version === undefined ? {} : { 'if-match': version }),
      },
      body: JSON.stringify(body),
    });
    return { status: reply.status, etag: reply.headers.get('etag') ?? '', body: (await reply.json()) as Config };
  };
  interface Config {
    config: { setups: Record<string, Record<string, unknown>>; features?: Record<string, unknown> };
    secrets: string[];
    version: number;
    code?: string;
    details?: { param?: string };
  }

  it('keeps what it does not name, secrets too', async () => {
    const key = '/setups/default/providers/openai/api_key';
    const before = await patch({});
    const embedding = { provider: 'openai', model: 'text-embedding-3-small' };
    const changed = await patch({
      features: { convert_on_access: true },
      setups: { default: { knowledge_base: { embedding }, providers: { openai: { models: ['gpt-4o'] } } } },
    });
    expect(changed.status).toBe(200);
    expect(changed.body.config).toMatchObject({
      features: { convert_on_access: true },
      setups: {
        default: {
          global_default_model: { model: 'gpt-4o-mini' },
          knowledge_base: { embedding },
          providers: { openai: { models: ['gpt-4o'], enabled: true }, ollama: { enabled: true } },
        },
      },
    });
    expect(changed.body.version).toBe(before.body.version + 1);
    expect(changed.body.secrets).toEqual(before.body.secrets);
    expect(changed.body.secrets).toContain(key);
    const emptied = await patch({ setups: { default: { providers: { openai: { api_key: '' } } } } });
    expect(emptied.body.secrets).not.toContain(key);
    const filled = await patch({ setups: { default: { providers: { openai: { api_key: 'sk-new' } } } } });
    expect(filled.body.secrets).toContain(key);
    const removed = await patch({ setups: { default: { providers: { openai: null } } } });
    expect(removed.body.secrets).not.toContain(key);
    expect(removed.body.config.setups['default']?.['providers']).not.toHaveProperty('openai');
  });

  it('loses nothing when many change it at once, and refuses what is meant for an older version', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => patch({ features: { [`switch_${String(index)}`]: true } })),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    const { body, etag } = await patch({});
    expect(Object.keys(body.config.features ?? {})).toEqual(
      expect.arrayContaining(Array.from({ length: 8 }, (_, index) => `switch_${String(index)}`)),
    );
    expect(etag).toBe(`"${String(body.version)}"`);
    expect((await patch({ features: { late: true } }, '"1"')).body.code).toBe('stale_update');
    expect((await patch({ features: { right: true } }, etag)).status).toBe(200);
  });

  it('forgets a key whose provider moves to another origin', async () => {
    const key = '/setups/default/providers/openai/api_key';
    const move = (openai: Record<string, unknown>) => patch({ setups: { default: { providers: { openai } } } });
    await move({ base_url: 'https://one.test/v1', api_key: 'sk-one' });
    expect((await move({ base_url: 'https://one.test/v2' })).body.secrets).toContain(key);
    const moved = await move({ base_url: 'https://two.test/v1' });
    expect(moved.body.secrets).not.toContain(key);
    await move({ api_key: 'sk-two' });
    const back = await lamb.call(lamb.south.admin, 'PUT', `${current}/config`, {
      ...moved.body.config,
      setups: { default: { providers: { openai: { base_url: 'https://one.test/v1' } } } },
    });
    expect(back.status).toBe(200);
    expect((back.body as Config).secrets).not.toContain(key);
  });

  it('must still be one', async () => {
    const before = await patch({});
    const wrong = await patch({ features: { convert_on_access: 'yes' } });
    expect(wrong.status).toBe(400);
    expect(wrong.body.details?.param).toBe('features.convert_on_access');
    expect((await patch({})).body.version).toBe(before.body.version + 1);
  });
});
