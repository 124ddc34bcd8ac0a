import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listChildren } from '../__fixtures__/list-children.ts';
import { makeDocumentPart, makeDocx } from './__fixtures__/make-archive.ts';
import { makeBomb } from './__fixtures__/make-bomb.ts';
import { makePageContent, makePdf } from './__fixtures__/make-pdf.ts';
import { extractDocument, type ExtractionRequest } from './extract-document.ts';
import { ExtractionFailure } from './extraction-failure.ts';

const documents = join(import.meta.dirname, '__fixtures__/documents');
const never = new AbortController().signal;
// What the machine does besides may make everything slow.
const patient = { timeout: 90_000 };

const extract = (content: Uint8Array, filename: string, rest: Partial<ExtractionRequest> = {}) =>
  extractDocument({ content, filename, mediaType: 'application/octet-stream', ...rest }, never);

/** The code with which reading fails; the message must be one for people. */
async function failureOf(content: Uint8Array, filename: string, limits: ExtractionRequest['limits'] = {}) {
  const error = await extract(content, filename, { limits }).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ExtractionFailure)) throw new Error('It did not fail as documents do.', { cause: error });
  expect(error.message).toMatch(/^[A-Z].*\. [A-Z].*\.$/s);
  return error.code;
}

let idle = 0;
let highest = 0;
let sampler: NodeJS.Timeout;
beforeAll(() => {
  idle = process.memoryUsage.rss();
  sampler = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, 20);
});
afterAll(() => {
  clearInterval(sampler);
  // The server's own memory, over everything that is tried here.
  expect((highest - idle) / 2 ** 20).toBeLessThan(200);
});

describe('bombs', () => {
  const part = makeDocumentPart('Water').replace('<w:body>', '<w:body><!--');
  const bomb = makeBomb(part, 1024);

  test('a DOCX that says it unpacks to 1 GB is refused before it is unpacked', patient, async () => {
    // It does not even hold what it says: had it been unpacked, nobody would know.
    const docx = makeDocx({ packed: makeBomb(makeDocumentPart('Water'), 1), declaredBytes: 2 ** 30 });
    expect(await failureOf(docx, 'bomb.docx')).toBe('too_large_unpacked');
  });

  test('a DOCX that hides that it unpacks to 1 GB is stopped on the way', patient, async () => {
    const limits = { unpackedBytes: 32 * 2 ** 20 };
    for (const packed of [bomb, makeBomb(part, 64)])
      expect(await failureOf(makeDocx({ packed, declaredBytes: 1000 }), 'bomb.docx', limits)).toBe(
        'too_large_unpacked',
      );
  });

  test('a PDF with a stream of 1 GB', patient, async () => {
    const content = Buffer.concat([Buffer.from([0x78, 0x9c]), makeBomb('BT', 1024)]);
    const pdf = makePdf([{ dictionary: '/Filter/FlateDecode', content }]);
    const limits = { memoryMegabytes: 400, heapMegabytes: 300, milliseconds: 30_000 };
    expect(await failureOf(pdf, 'bomb.pdf', limits)).toMatch(/^(too_much_memory|took_too_long)$/);
  });

  test('memory beyond the heap is bounded', patient, async () => {
    const docx = makeDocx({ packed: bomb, declaredBytes: 1000 });
    const limits = { unpackedBytes: 2 ** 30, heapMegabytes: 2048, memoryMegabytes: 200 };
    expect(await failureOf(docx, 'bomb.docx', limits)).toBe('too_much_memory');
  });

  test('100,000 nested elements end at the deadline at the latest', patient, async () => {
    const html = Buffer.from(`<!doctype html><html><body>${'<div>'.repeat(100_000)}Water`);
    const started = performance.now();
    expect(await failureOf(html, 'deep.html', { milliseconds: 4000 })).toMatch(
      /^(took_too_long|corrupt|too_much_memory)$/,
    );
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  test('entities that multiply', patient, async () => {
    const entities = Array.from({ length: 12 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('');
    const content = makeDocumentPart('&e12;', `<!DOCTYPE d [<!ENTITY e0 "Water and soil">${entities}]>`);
    const outcome = await extract(makeDocx({ content }), 'laughs.docx').then(
      ({ blocks }) => JSON.stringify(blocks).length,
      (error: unknown) => (error instanceof ExtractionFailure ? 0 : Infinity),
    );
    expect(outcome).toBeLessThan(10_000);
  });

  test('more text than a document may have', patient, async () => {
    const text = Buffer.from('Water and soil. '.repeat(200_000));
    expect(await failureOf(text, 'long.txt', { outputBytes: 2 ** 20 })).toBe('too_much_text');
  });
});

test('external entities of a DOCX are not followed', patient, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lamb-extract-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'secret'), 'the-secret-of-the-server');
  let calls = 0;
  const server = createServer((socket) => {
    calls += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const file = pathToFileURL(join(folder, 'secret')).href;
  const doctype = `<!DOCTYPE d [<!ENTITY file SYSTEM "${file}"><!ENTITY far SYSTEM "http://127.0.0.1:${port}/">]>`;
  const content = makeDocumentPart('Before &file; and &far; after', doctype);
  const outcome = await extract(makeDocx({ content }), 'xxe.docx').catch((error: unknown) => error);
  expect(JSON.stringify(outcome)).not.toContain('the-secret-of-the-server');
  expect(calls).toBe(0);
});

describe('documents that cannot be read say why', () => {
  test('encrypted', patient, async () => {
    const pdf = await readFile(join(documents, 'encrypted.pdf'));
    expect(await failureOf(pdf, 'locked.pdf')).toBe('password_protected');
    const container = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(1016),
      Buffer.from('EncryptionInfo\0EncryptedPackage\0', 'utf16le'),
      Buffer.alloc(2048),
    ]);
    expect(await failureOf(container, 'locked.docx')).toBe('password_protected');
  });

  test('truncated', patient, async () => {
    for (const name of ['chromium.pdf', 'handout.docx', 'slides.pptx']) {
      const content = await readFile(join(documents, name));
      expect(await failureOf(content.subarray(0, content.length / 2), name), name).toBe('corrupt');
    }
    const pdf = makePdf(
      Array.from({ length: 6 }, (_, page) => ({ content: makePageContent(`Page ${page}`, ['Water.']) })),
    );
    expect(await failureOf(pdf.subarray(0, pdf.length / 2), 'half.pdf')).toBe('corrupt');
  });

  test('corrupt', patient, async () => {
    const noise = Buffer.alloc(20_000, 0xa7);
    expect(await failureOf(Buffer.concat([Buffer.from('%PDF-1.7\n'), noise]), 'noise.pdf')).toBe('corrupt');
    expect(await failureOf(Buffer.concat([Buffer.from('PK\u0003\u0004'), noise]), 'noise.docx')).toBe('corrupt');
    expect(await failureOf(makeDocx({ content: '<w:document' }), 'broken.docx')).toMatch(/^(corrupt|no_text)$/);
  });

  test('scans without text, and nothing at all', patient, async () => {
    const pdf = makePdf([{ content: Buffer.from('0 0 100 100 re f') }, { content: Buffer.from('') }]);
    expect(await failureOf(pdf, 'scan.pdf')).toBe('no_text');
    expect(await failureOf(Buffer.alloc(0), 'empty.txt')).toBe('no_text');
  });

  test('other formats, and names that promise what the content is not', patient, async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    expect(await failureOf(png, 'picture.png')).toBe('unsupported_format');
    expect(await failureOf(png, 'picture.pdf')).toBe('corrupt');
    const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(4096)]);
    expect(await failureOf(old, 'old.doc')).toBe('unsupported_format');
    expect(new ExtractionFailure('unsupported_format').message).toContain('DOCX');
  });
});

test('a PDF of 2,000 pages is read to its end', { timeout: 180_000 }, async () => {
  const pdf = makePdf(
    Array.from({ length: 2000 }, (_, index) => ({
      content: makePageContent(`Chapter ${index + 1}`, [`Here is what page ${index + 1} tells.`, 'It rains.']),
    })),
  );
  const told: number[][] = [];
  const { pages, blocks } = await extract(pdf, 'long.pdf', { onProgress: (...progress) => told.push(progress) });
  expect(pages).toBe(2000);
  expect(blocks.filter(({ kind }) => kind === 'heading')).toHaveLength(2000);
  for (const block of blocks)
    if (block.kind === 'paragraph') expect(block.text).toContain(`page ${block.page ?? 0} tells`);
  expect(told.slice(0, 3)).toEqual([
    [1, 2000],
    [3, 2000],
    [7, 2000],
  ]);
  expect(told.at(-1)).toEqual([2000, 2000]);
});

describe('the child process', () => {
  const hanging = Buffer.from(`<!doctype html><html><body>${'<div>'.repeat(100_000)}Water`);
  const starting = { timeout: 20_000, interval: 5 };

  test('that somebody ends is started again: the document is not to blame', patient, async () => {
    const before = new Set(await listChildren());
    const reading = extract(Buffer.from('Water and soil. '.repeat(500_000)), 'long.txt');
    const killed = new Set<number>();
    await vi.waitFor(async () => {
      for (const pid of await listChildren()) {
        if (before.has(pid) || killed.has(pid)) continue;
        process.kill(pid, 'SIGHUP');
        killed.add(pid);
      }
      expect(killed.size).toBe(2);
    }, starting);
    expect((await reading).blocks).toHaveLength(1);
  });

  test('has no environment, a limit of its own, and ends when nobody waits', { timeout: 40_000 }, async () => {
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const before = new Set(await listChildren());
    const limits = { milliseconds: 80_000 };
    const reading = extractDocument(
      { content: hanging, filename: 'deep.html', mediaType: '', limits },
      controller.signal,
    );
    const ended = expect(reading).rejects.toThrow('enough');
    const [child] = await vi.waitFor(async () => {
      const started = (await listChildren()).filter((pid) => !before.has(pid));
      expect(started).toHaveLength(1);
      return started;
    }, starting);
    const read = (name: string) => readFile(`/proc/${child ?? 0}/${name}`, 'utf8');
    await vi.waitFor(async () => {
      expect(await read('limits')).toMatch(/Max cpu time\s+320\s/);
      expect(await read('oom_score_adj')).toBe('1000\n');
    }, starting);
    // A shell sets the working directory for itself; nothing comes from this process.
    const environment = (await read('environ')).split('\0').filter(Boolean);
    expect(environment.filter((entry) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(entry))).toEqual([]);

    controller.abort(new Error('enough'));
    await ended;
    expect(await listChildren()).not.toContain(child);
  });

  test('is not started when nobody waits any more', async () => {
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(extractDocument({ content: hanging, filename: 'a.html', mediaType: '' }, gone)).rejects.toThrow(
      'gone',
    );
  });
});
