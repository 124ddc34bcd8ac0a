import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../routes/__fixtures__/send-raw.ts';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';

const page = `<!doctype html><meta http-equiv="content-security-policy" content="default-src 'self'; script-src 'self' 'sha256-abc='"><title>LAMB</title>`;
const script = `console.log('${'x'.repeat(2000)}')`;
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-encoding': 'identity' };

let folder: string;
let lamb: TestServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lamb-web-'));
  const write = async (path: string, content: string | Buffer) => {
    await mkdir(dirname(join(folder, 'build', path)), { recursive: true });
    await writeFile(join(folder, 'build', path), content);
  };
  await writeFile(join(folder, 'secret.txt'), 'not of the build');
  await write('200.html', page);
  await write('200.html.br', brotliCompressSync(page));
  await write('theme.js', 'theme()');
  await write('_app/version.json', '{"version":"1"}');
  await write('_app/immutable/entry.abc.js', script);
  await write('_app/immutable/entry.abc.js.br', brotliCompressSync(script));
  await write('_app/immutable/entry.abc.js.gz', gzipSync(script));
  lamb = await startTestServer({
    LAMB_WEB_FOLDER: join(folder, 'build'),
    LAMB_EMBED_ORIGINS: 'https://moodle.example,https://campus.example',
  });
});
afterAll(async () => {
  await lamb.stop();
  await rm(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = browser, method = 'GET') =>
  fetch(lamb.url + path, { headers, method });

describe('the page', () => {
  it.each(['/', '/assistants', '/multi-tool-assistants/7?tab=prompt', '/200.html', '/lambs', '/a%2fb'])(
    'is what a browser gets at %s',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(page);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': `default-src 'self'; script-src 'self' 'sha256-abc='; frame-ancestors 'none'`,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
      });
    },
  );

  it.each(['/lamb/v1/nothing', '/v1/nothing', '/api/auth/nothing', '/health/nothing', '/_app/immutable/gone.js'])(
    'is not what %s gets, although a browser asks',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(await response.text()).not.toContain('<title>');
    },
  );

  it('is for browsers only', async () => {
    const response = await get('/assistants', { accept: 'application/json' });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect((await fetch(`${lamb.url}/assistants`, { method: 'POST', headers: browser })).status).toBe(404);
  });

  it('is framed by the named sites, and only where it is made for it', async () => {
    const policy = async (path: string) => (await get(path)).headers.get('content-security-policy')?.split('; ').at(-1);
    expect(await policy('/embed/7')).toBe(`frame-ancestors 'self' https://moodle.example https://campus.example`);
    for (const path of ['/embed', '/embedded/7', '/chats/embed/7', '/embed%2f..%2fchats']) {
      expect(await policy(path), path).toBe(`frame-ancestors 'none'`);
    }
  });
});

describe('the files', () => {
  it('with their content in the name are kept for a year, the others are asked for each time', async () => {
    const kept = await get('/_app/immutable/entry.abc.js');
    expect(kept.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(kept.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const asked = await get('/theme.js');
    expect(asked.headers.get('cache-control')).toBe('no-cache');
    const etag = asked.headers.get('etag') ?? '';
    expect((await get('/theme.js', { ...browser, 'if-none-match': etag })).status).toBe(304);
    expect((await get('/theme.js', { ...browser, 'if-none-match': '"other"' })).status).toBe(200);
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.5', 'br'],
    ['identity', null],
  ])('are sent to who accepts %s as %s', async (accepted, encoding) => {
    const response = await get('/_app/immutable/entry.abc.js', { 'accept-encoding': accepted });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toBe('accept-encoding');
    expect(await response.text()).toBe(script);
  });

  it('answer HEAD without a body', async () => {
    const response = await get('/_app/immutable/entry.abc.js', browser, 'HEAD');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe(String(script.length));
    expect(await response.text()).toBe('');
  });

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/_app/../../secret.txt',
    '//secret.txt',
    '/theme.js.br',
  ])('are those of the build: %s is none', async (path) => {
    const { text } = await sendRaw(lamb, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(text).not.toContain('not of the build');
    expect(text).toContain('not_found');
  });
});

it('without a build, says how to build', async () => {
  const bare = await startTestServer({ LAMB_WEB_FOLDER: join(folder, 'nothing') });
  try {
    const response = await fetch(`${bare.url}/`, { headers: browser });
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('npm run web:build');
    expect((await fetch(`${bare.url}/lamb/v1/me`, { headers: browser })).status).toBe(401);
  } finally {
    await bare.stop();
  }
});

describe('the address of a passage', () => {
  const address = '/lamb/v1/collections/7/documents/3b241101-e2bb-4255-8caf-4136c566a962/passage?start=0&end=9';

  it('leads a browser to the page that shows it, also before one has signed in', async () => {
    const response = await fetch(lamb.url + address, { headers: browser, redirect: 'manual' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/passages/7/3b241101-e2bb-4255-8caf-4136c566a962?start=0&end=9');
    expect(response.headers.get('vary')).toBe('accept');
  });

  it('varies by what sharing with other origins varies by, too', async () => {
    const origin = 'https://app.example';
    const open = await startTestServer({ LAMB_TRUSTED_ORIGINS: origin });
    try {
      const response = await fetch(open.url + address, { headers: { accept: '*/*', origin } });
      expect(response.headers.get('vary')).toBe('Origin, accept');
    } finally {
      await open.stop();
    }
  });

  it('keeps what is asked for within the site', async () => {
    const response = await fetch(`${lamb.url}/lamb/v1/collections/%2f%2fevil.example/documents/..%2fx/passage`, {
      headers: browser,
      redirect: 'manual',
    });
    expect(response.headers.get('location')).toBe('/passages/%2F%2Fevil.example/..%2Fx');
  });

  it('is the interface for everybody else', async () => {
    const response = await get(address, { accept: '*/*' });
    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toContain('json');
  });
});
