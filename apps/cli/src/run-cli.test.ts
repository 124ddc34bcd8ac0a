import { expect, test } from 'vitest';
import type { Config } from './config.ts';
import { runCli } from './run-cli.ts';

const nobody: Config = { url: 'http://127.0.0.1:9', key: 'k' };

async function run(line: string, config: Config = nobody) {
  const written = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') => ({ write: (text: string) => void (written[name] += text) });
  const { signal } = new AbortController();
  const words = line.split(' ').filter((word) => word !== '');
  const code = await runCli(words, { config, stdout: into('stdout'), stderr: into('stderr'), signal });
  return { code, ...written };
}

test.each([
  ['bake bread', /^lamb: There is no command “bake bread”\..*kb create/s],
  ['kb', /^lamb: There is no command “kb”/],
  ['kb add Nowhere', /^lamb: Usage: lamb kb add <collection>/],
  ['kb list too much', /^lamb: Usage: lamb kb list/],
  ['kb list --colour', /^lamb: Unknown option '--colour'\.\nUsage: lamb kb list/],
  ['kb create x --language klingon', /^lamb: --language klingon: /],
  ['kb create x --provider openai', /--provider and --model together/],
  ['kb query 1 x --top many', /^lamb: --top many: /],
  ['kb tune 1', /--judged <folder>/],
  ['kb list --url nowhere', /“nowhere” is no address/],
])('%s is not understood, and it is said what is', async (line, says) => {
  const { code, stdout, stderr } = await run(line, { url: 'http://127.0.0.1:9', key: 'k' });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(says);
});

test('without an address or a key it is said where they come from', async () => {
  expect(await run('kb list', { url: undefined, key: 'k' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Set LAMB_URL or --url.') as string,
  });
  expect(await run('kb list', { url: 'http://127.0.0.1:9', key: undefined })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Set LAMB_API_KEY or --key.') as string,
  });
});

test('a server that is not there is said so', async () => {
  const { code, stderr } = await run('kb list');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^lamb: The server at http:\/\/127\.0\.0\.1:9 cannot be reached.*Check LAMB_URL or --url/);
});

test.each(['', 'help', '--help', 'kb --help'])('“%s” shows what there is', async (line) => {
  const { code, stdout, stderr } = await run(line);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const name of ['create', 'add', 'query', 'stats', 'list', 'tune']) expect(stdout).toContain(`kb ${name} `);
});

test('each command explains itself, without a server', async () => {
  const { code, stdout } = await run('kb tune --help', { url: undefined, key: undefined });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Usage: lamb kb tune <collection> --judged <folder>/);
  expect(stdout).toContain('--apply');
  expect(stdout).toContain('LAMB_API_KEY');
});
