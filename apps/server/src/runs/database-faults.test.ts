import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ServerProcess } from '../test-server/spawn-server-process.ts';
import { openHouse, type House } from './__fixtures__/open-house.ts';
import { startSlowLine, type SlowLine } from './__fixtures__/start-slow-line.ts';

let house: House;
let line: SlowLine;
let server: ServerProcess;
let cookie: string;

beforeAll(async () => {
  house = await openHouse({ ownCluster: true });
  const database = new URL(house.database.appUrl);
  line = await startSlowLine(Number(database.port));
  database.port = String(line.port);
  server = await house.startServer({ DATABASE_URL: database.href });
  const signedIn = await send('POST', '/api/auth/sign-in/email', credentials, { origin: server.url });
  cookie = signedIn.cookies;
  expect(cookie).not.toBe('');
}, 60_000);
afterAll(async () => {
  await house.close();
  await line.stop();
}, 60_000);

const credentials = { email: 'h@house.test', password: 'correct horse battery' };

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  const cookies = response.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  return { status: response.status, text: await response.text(), cookies };
}

/** One of each kind of door. */
function askAll() {
  const byKey = { authorization: `Bearer ${house.key}` };
  const bySession = { cookie, origin: server.url };
  const { model } = house;
  const question = { model, messages: [{ role: 'user', content: 'Hello' }] };
  return Promise.all([
    send('GET', '/health/ready'),
    send('GET', '/v1/models', undefined, byKey),
    send('GET', '/lamb/v1/me', undefined, bySession),
    send('GET', '/lamb/v1/assistants', undefined, bySession),
    send('POST', '/lamb/v1/chats', { assistant_id: house.assistantId }, byKey),
    send('POST', '/v1/chat/completions', question, byKey),
    send('POST', '/v1/chat/completions', { ...question, stream: true }, byKey),
    send('POST', '/v1/chat/completions', { ...question, lamb: { background: true } }, byKey),
    send('GET', '/lamb/v1/sign-in-options'),
    send('POST', '/api/auth/sign-in/email', credentials, { origin: server.url }),
    send('GET', '/api/auth/get-session', undefined, bySession),
  ]);
}

async function expectUnavailable(): Promise<void> {
  const replies = await askAll();
  expect(replies.map(({ status, text }) => (status === 503 ? 503 : `${String(status)} ${text}`))).toEqual(
    replies.map(() => 503),
  );
  for (const { text } of replies) {
    // In OpenAI's shape or in ours, but always with a code and what to do.
    expect(text).toContain('service_unavailable');
    expect(text).not.toMatch(/ECONNREFUSED|postgres|127\.0\.0\.1/i);
  }
  expect((await send('GET', '/health/live')).status).toBe(200);
}

async function expectBackWithin(ms: number): Promise<void> {
  const since = performance.now();
  await vi.waitFor(
    async () => {
      expect((await send('GET', '/health/ready')).status).toBe(200);
    },
    { timeout: 60_000, interval: 100 },
  );
  expect(performance.now() - since).toBeLessThan(ms);
  const replies = await askAll();
  expect(replies.filter(({ status }) => status >= 400).map(({ text }) => text)).toEqual([]);
}

async function asAdmin(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: house.database.adminUrl });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

test(
  'while PostgreSQL is stopped everybody is told 503; when it is back, all is well within 10 s',
  { timeout: 120_000 },
  async () => {
    await house.stopDatabase();
    await expectUnavailable();
    await house.startDatabase();
    await expectBackWithin(10_000);
  },
);

test(
  'when PostgreSQL has no connection left everybody is told 503, and nobody hangs',
  { timeout: 120_000 },
  async () => {
    await asAdmin(
      'alter role lamb_app connection limit 0',
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'lamb_app'`,
    );
    await expectUnavailable();
    await asAdmin('alter role lamb_app connection limit -1');
    await expectBackWithin(10_000);
  },
);

test(
  'when PostgreSQL answers half a second late, everybody waits and nobody is refused',
  { timeout: 120_000 },
  async () => {
    line.delay(500);
    try {
      const replies = await askAll();
      expect(replies.filter(({ status }) => status >= 400).map(({ text }) => text)).toEqual([]);
    } finally {
      line.delay(0);
    }
  },
);
