import { CollectionQueryReply, CollectionResource, DocumentsAdded } from '@lamb/contract';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';

// The command line stands in another app, and knows this one by HTTP only: it is run here as the process that it is.
/** Each command is a process, and a machine may be busy. */
const TIMEOUT = 90_000;
const main = join(import.meta.dirname, '../../../cli/src/main.ts');

let lamb: TestServer;
let folder: string;

beforeAll(async () => {
  lamb = await startTestServer();
  folder = await mkdtemp(join(tmpdir(), 'lamb-kb-'));
});
afterAll(async () => {
  await lamb.stop();
  await rm(folder, { recursive: true });
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(...words: string[]): Promise<Ended> {
  return await runWith({ LAMB_URL: lamb.url, LAMB_API_KEY: lamb.north.teacher.key }, words);
}

async function runWith(env: Record<string, string>, words: readonly string[]): Promise<Ended> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [main, ...words], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}

async function put(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
  return path;
}

test(
  'a collection is made, filled, searched, shown and listed',
  async () => {
    const made = await run(
      'kb',
      'create',
      'Animals',
      '--language',
      'english',
      '--provider',
      'openai',
      '--model',
      'm',
      '--dimensions',
      '64',
    );
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const id = made.stdout.trim();
    expect(id).toMatch(/^\d+$/);

    await put('animals/lambs.md', '# Lambs\n\nA lamb is a young sheep.');
    await put('animals/more/foals.txt', 'A foal is a young horse.');
    await put('animals/.hidden', 'Nobody reads this.');
    const added = await run('kb', 'add', 'Animals', join(folder, 'animals'));
    expect(added.stderr).toMatch(/^lambs\.md: ready, 1 passages$/m);
    expect(added.stderr).toMatch(/^foals\.txt: ready, 1 passages$/m);
    expect(added.stderr, 'no bar where there is no terminal').not.toMatch(/[█\r]/);
    expect(added).toMatchObject({ code: 0, stdout: '' });

    const again = await run('kb', 'add', id, join(folder, 'animals/lambs.md'), '--json');
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('is there already') as string });
    expect(DocumentsAdded.shape.items.parse(JSON.parse(again.stdout))).toMatchObject([{ duplicate: true }]);

    const found = await run('kb', 'query', 'Animals', 'young', 'sheep', '--top', '1');
    expect(found).toMatchObject({ code: 0, stderr: '' });
    expect(found.stdout).toMatch(/^\[1\] lambs\.md, Lambs, similarity 0\.\d+\n {4}.*A lamb is a young sheep\./s);
    const asJson = await run('kb', 'query', id, 'horse', '--mode', 'lexical', '--json');
    expect(CollectionQueryReply.parse(JSON.parse(asJson.stdout)).hits).toMatchObject([{ filename: 'foals.txt' }]);
    expect((await run('kb', 'query', id, 'zebra', '--mode', 'lexical')).stdout).toBe('Nothing was found.\n');

    const stats = await run('kb', 'stats', 'Animals');
    expect(stats.stdout).toMatch(/^documents\s+2 ready$/m);
    expect(stats.stdout).toMatch(/^passages\s+2$/m);
    const list = await run('kb', 'list', '--mine');
    expect(list.stdout).toMatch(/^id\s+name\s+owner\s+documents\s+passages\n/);
    expect(list.stdout).toMatch(new RegExp(`^ *${id}  Animals  teacher@north\\.test +2 +2$`, 'm'));
  },
  TIMEOUT,
);

test(
  'a file that cannot be read is said, and the exit code too',
  async () => {
    const { stdout } = await run(
      'kb',
      'create',
      'Broken',
      '--provider',
      'openai',
      '--model',
      'm',
      '--dimensions',
      '64',
    );
    const path = await put('broken.pdf', '%PDF-1.7\n\u0000\u0001 and no more');
    const added = await run('kb', 'add', stdout.trim(), path);
    expect(added.code).toBe(1);
    expect(added.stderr).toMatch(/^broken\.pdf: failed: .+$/m);
    expect(added.stderr).toMatch(/^lamb: 1 of 1 could not be added\.$/m);
    expect((await run('kb', 'stats', 'Broken')).stdout).toMatch(/^documents\s+1 failed\n/m);
  },
  TIMEOUT,
);

test(
  'weights are found for judged questions, and used',
  async () => {
    const { stdout } = await run(
      'kb',
      'create',
      'Judged',
      '--provider',
      'openai',
      '--model',
      'm',
      '--dimensions',
      '64',
    );
    const id = stdout.trim();
    const texts = {
      d1: 'Bees make honey.',
      d2: 'Cows give milk.',
      d3: 'Hens lay eggs.',
      d4: 'Sheep give wool and milk.',
    };
    const files = await Promise.all(Object.entries(texts).map(([name, text]) => put(`corpus/${name}.txt`, text)));
    expect((await run('kb', 'add', id, ...files)).code).toBe(0);
    await put('judged/queries.jsonl', '{"id": "1", "text": "who makes honey"}\n{"id": "2", "text": "cows and milk"}\n');
    await put('judged/qrels.tsv', 'query-id\tdoc-id\tscore\n1\td1\t1\n2\td2\t2\n2\td4\t1\n');
    const tuned = await run('kb', 'tune', id, '--judged', join(folder, 'judged'));
    expect(tuned, tuned.stderr).toMatchObject({ code: 0 });
    expect(tuned.stdout).toMatch(/^ranking\s+nDCG@10\s+recall@10\n/);
    expect(tuned.stdout).toMatch(/^best \(.+\)\s+1\.0000\s+1\.0000$/m);
    expect(tuned.stdout).toContain('2 questions. Add --apply');

    const two = ['--judged', join(folder, 'judged/qrels.tsv'), '--judged', join(folder, 'judged/queries.jsonl')];
    const applied = await run('kb', 'tune', id, ...two, '--apply', '--json');
    const { best } = JSON.parse(applied.stdout) as { best: { ranking: object; ndcg: number } };
    expect(best.ndcg).toBe(1);
    const { body } = await lamb.call(lamb.north.teacher, 'GET', `/lamb/v1/collections/${id}`);
    expect(CollectionResource.parse(body).ranking).toEqual(best.ranking);

    await put('judged/other.tsv', '1\tsomething else\t1\n');
    const unknown = await run('kb', 'tune', id, '--judged', join(folder, 'judged/other.tsv'), ...two.slice(2));
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('has a judgement') as string });
  },
  TIMEOUT,
);

test(
  'what the server refuses is said in its words, with what to do',
  async () => {
    const says = (text: RegExp) => ({ code: 1, stdout: '', stderr: expect.stringMatching(text) as string });
    const ended = await Promise.all([
      run('kb', 'query', '999999999', 'x'),
      run('kb', 'query', 'Nowhere', 'x'),
      run('kb', 'list', '--key', 'wrong'),
    ]);
    expect(ended).toEqual([
      says(/^lamb: There is no such resource\. Check the address/),
      says(/no collection “Nowhere”. `lamb kb list` shows/),
      says(/API key is not known.*Sign in, or send an API key/),
    ]);
  },
  TIMEOUT,
);
