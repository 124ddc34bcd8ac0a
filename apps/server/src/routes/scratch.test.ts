import { it, beforeAll, afterAll } from 'vitest';
import { writeFileSync, appendFileSync } from 'node:fs';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
let lamb: TestServer;
const log = (...a: unknown[]) =>
  appendFileSync(
    '/tmp/scratch/out.txt',
    a.map((x) => (typeof x === 'string' ? x : JSON.stringify(x))).join(' ') + '\n',
  );
beforeAll(async () => {
  writeFileSync('/tmp/scratch/out.txt', '');
  const t = performance.now();
  lamb = await startTestServer();
  log('start ms', performance.now() - t);
});
afterAll(async () => {
  await lamb.stop();
});
it('explore', async () => {
  const { north } = lamb;
  const show = async (who: { key: string }, method: string, path: string, body?: unknown) => {
    const r = await lamb.call(who, method, path, body);
    log(method, path, r.status, r.text.slice(0, 600));
    return r;
  };
  await show(north.teacher, 'GET', '/lamb/v1/me');
  const raw = async (method: string, path: string, headers: Record<string, string>, body?: any) => {
    const r = await fetch(lamb.url + path, {
      method,
      headers: { authorization: 'Bearer ' + north.teacher.key, ...headers },
      body: body ?? null,
      redirect: 'manual',
    });
    log(
      method,
      path,
      String(body).slice(0, 40),
      r.status,
      r.headers.get('content-type') ?? '',
      (await r.text()).slice(0, 500),
    );
    return r;
  };
  const json = { 'content-type': 'application/json' };
  await raw('POST', '/lamb/v1/assistants', json);
  await raw('POST', '/lamb/v1/assistants', {});
  await raw('POST', '/lamb/v1/assistants', json, 'null');
  await raw('POST', '/lamb/v1/assistants', json, '[]');
  await raw('POST', '/lamb/v1/assistants', json, '7');
  await raw('POST', '/lamb/v1/assistants', json, '"x"');
  await raw('POST', '/lamb/v1/assistants', json, '{');
  await raw('POST', '/lamb/v1/assistants', { 'content-type': 'text/plain' }, '{}');
  await raw('POST', '/lamb/v1/assistants', { 'content-type': 'application/xml' }, '<a/>');
  await raw('POST', '/lamb/v1/assistants', json, '{"__proto__":{"a":1},"name":"x"}');
  await raw('POST', '/lamb/v1/assistants', json, '{"constructor":{"prototype":{"a":1}},"name":"x"}');
  const deep = '['.repeat(100000) + ']'.repeat(100000);
  await raw('POST', '/lamb/v1/assistants', json, `{"name":"deep","metadata":{"x":${deep}}}`);
  await raw('POST', '/lamb/v1/assistants', json, JSON.stringify({ name: 'deep2', metadata: `{"x":${deep}}` }));
  await raw('POST', '/v1/chat/completions', json, deep);
  await raw(
    'POST',
    '/v1/chat/completions',
    json,
    `{"model":"x","messages":[{"role":"user","content":"x"}],"response_format":{"type":"x","y":${deep}}}`,
  );
  await raw('POST', '/lamb/v1/assistants', json, JSON.stringify({ name: 'x', description: 'a'.repeat(21_000_000) }));
  await raw('GET', '/lamb/v1/assistants/%ff', {});
  await raw('GET', '/lamb/v1/assistants/1e3', {});
  await raw('GET', '/lamb/v1/assistants/abc', {});
  await raw('GET', '/lamb/v1/assistants/99999999999999999999', {});
  await raw('GET', '/lamb/v1/assistants/..%2f..', {});
  await raw('GET', '/lamb/v1/assistants/' + 'a'.repeat(200), {});
  await raw('GET', '/lamb/v1/assistants?limit=-1', {});
  await raw('GET', '/lamb/v1/assistants?cursor=garbage', {});
  await raw(
    'GET',
    '/lamb/v1/assistants?cursor=' + Buffer.from('["updated","0000-01-01T00:00:00.000Z","1"]').toString('base64url'),
    {},
  );
  await raw('GET', '/lamb/v1/assistants?search=%00', {});
  await raw(
    'POST',
    '/lamb/v1/rubrics',
    json,
    JSON.stringify({
      rubric: {
        title: 'a\ud800b',
        criteria: [
          {
            id: '1',
            name: 'c',
            weight: 100,
            levels: [
              { id: 'a', score: 1, label: 'x' },
              { id: 'b', score: 2, label: 'y' },
            ],
          },
        ],
      },
    }),
  );
  await raw(
    'POST',
    '/lamb/v1/rubrics',
    json,
    JSON.stringify({
      rubric: {
        title: 'a\u0000b',
        criteria: [
          {
            id: '1',
            name: 'c',
            weight: 100,
            levels: [
              { id: 'a', score: 1, label: 'x' },
              { id: 'b', score: 2, label: 'y' },
            ],
          },
        ],
      },
    }),
  );
  await raw('POST', '/lamb/v1/files', json, '{}');
  await raw('POST', '/lamb/v1/files', { 'content-type': 'multipart/form-data' }, 'x');
  await raw('POST', '/lamb/v1/files', { 'content-type': 'multipart/form-data; boundary=x' }, '--x');
  await raw('POST', '/lamb/v1/files', {});
  await raw('GET', '/docs', {});
  await raw('GET', '/docs/', {});
  const html = await (await fetch(lamb.url + '/docs/')).text();
  log(html);
}, 60000);
