import { FilePage, FileResource } from '@lamb/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type Person, type Reply, type TestServer } from '../test-server/start-test-server.ts';
import { send } from './__fixtures__/send.ts';

const LIMIT = 50_000;

let lamb: TestServer;
let teacher: Person;

beforeAll(async () => {
  lamb = await startTestServer({ LAMB_MAX_UPLOAD_BYTES: String(LIMIT) });
  ({ teacher } = lamb.north);
});
afterAll(async () => {
  await lamb.stop();
});

const path = '/lamb/v1/files';

interface Upload {
  readonly content?: string | Uint8Array<ArrayBuffer>;
  readonly filename?: string;
  readonly path?: string;
  readonly type?: string;
}

/** An upload written by hand, so that its file name arrives exactly as it is given. */
async function upload(
  { content = 'text', filename = 'upload.md', path: under, type = 'text/markdown' }: Upload,
  owner = teacher,
): Promise<Reply> {
  const field = under === undefined ? '' : `--x\r\ncontent-disposition: form-data; name="path"\r\n\r\n${under}\r\n`;
  const head = `--x\r\ncontent-disposition: form-data; name="file"; filename="${filename}"\r\ncontent-type: ${type}\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(field + head), Buffer.from(content), Buffer.from('\r\n--x--\r\n')]);
  return await send(lamb, 'POST', path, {
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'multipart/form-data; boundary=x' },
    body: new Uint8Array(body),
  });
}

const download = async (id: string) =>
  await fetch(`${lamb.url}${path}/${id}/content`, { headers: { authorization: `Bearer ${teacher.key}` } });

describe('a file', () => {
  it('is stored under its path, and comes back byte for byte', async () => {
    const content = new Uint8Array(Array.from({ length: 2048 }, (_, index) => index % 256));
    const reply = await upload({ content, path: 'week-1/données.bin', type: 'application/octet-stream' });
    expect(reply.status, reply.text).toBe(201);
    const file = FileResource.parse(reply.body);
    expect(file).toMatchObject({
      path: 'week-1/données.bin',
      owner: teacher.email,
      size: 2048,
      media_type: 'application/octet-stream',
    });
    expect((await lamb.call(teacher, 'GET', `${path}/${file.id}`)).body).toEqual(file);
    const response = await download(file.id);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(content);
    expect((await lamb.call(teacher, 'DELETE', `${path}/${file.id}`)).status).toBe(204);
    expect((await lamb.call(teacher, 'GET', `${path}/${file.id}`)).status).toBe(404);
    expect((await download(file.id)).status).toBe(404);
  });

  it('may be empty', async () => {
    const { id } = FileResource.parse((await upload({ content: '', path: 'empty.md' })).body);
    const response = await download(id);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  it('takes its own name when no path is given', async () => {
    expect((await upload({ filename: 'plain.md' })).body).toMatchObject({ path: 'plain.md' });
  });

  it('whose path is taken is refused, and the first one stays', async () => {
    const first = FileResource.parse((await upload({ content: 'first', path: 'taken.md' })).body);
    const second = await upload({ content: 'second', path: 'taken.md' });
    expect(second.status).toBe(409);
    expect(second.body).toMatchObject({ code: 'name_taken', details: { path: 'taken.md' } });
    expect(await (await download(first.id)).text()).toBe('first');
    expect((await upload({ path: 'taken.md' }, lamb.north.colleague)).status, 'others have their own').toBe(201);
  });

  it('that is too large is refused, with how large it may be', async () => {
    const fits = await upload({ content: 'a'.repeat(LIMIT - 1), path: 'fits.md' });
    expect(fits.status).toBe(201);
    for (const size of [LIMIT + 1, LIMIT * 100]) {
      const reply = await upload({ content: 'a'.repeat(size), path: 'large.md' });
      expect(reply.status).toBe(413);
      expect(reply.body).toMatchObject({
        code: 'payload_too_large',
        title: 'The file is too large.',
        details: { limit: LIMIT },
      });
    }
    const list = FilePage.parse((await lamb.call(teacher, 'GET', path)).body);
    expect(list.items.map((each) => each.path)).not.toContain('large.md');
  });

  it.each([
    ['page.html', 'text/html', '<script>alert(1)</script>'],
    ['image.svg', 'image/svg+xml', '<svg onload="alert(1)"/>'],
    ['quote".md', 'text/plain', 'x'],
  ])('%s is only ever downloaded, never shown', async (name, type, content) => {
    const stored = name.includes('"') ? 'a;b=c, d.md' : name;
    const { id } = FileResource.parse((await upload({ content, path: stored, type })).body);
    const { status, headers } = await download(id);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''${encodeURIComponent(stored)}`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is listed newest first, page by page', async () => {
    const { teacher: owner } = lamb.south;
    for (let number = 0; number < 5; number += 1) await upload({ path: `f${number}.md` }, owner);
    const first = FilePage.parse((await lamb.call(owner, 'GET', `${path}?limit=3`)).body);
    expect(first.items.map((each) => each.path)).toEqual(['f4.md', 'f3.md', 'f2.md']);
    const second = FilePage.parse(
      (await lamb.call(owner, 'GET', `${path}?limit=3&cursor=${first.next_cursor ?? ''}`)).body,
    );
    expect(second.items.map((each) => each.path)).toEqual(['f1.md', 'f0.md']);
    expect(second.next_cursor).toBeNull();
  });

  it('is for creators: a student has none', async () => {
    expect((await upload({}, lamb.north.student)).status).toBe(403);
    expect((await lamb.call(lamb.north.student, 'GET', path)).status).toBe(403);
  });
});

describe('a path', () => {
  it.each([
    ['a step up', '../secret.md'],
    ['a step up inside', 'a/../../secret.md'],
    ['nothing but steps', '..'],
    ['a dot', './a.md'],
    ['an absolute path', '/etc/passwd'],
    ['an absolute path of Windows', 'C:\\Windows'],
    ['an encoded step', '%2e%2e%2fsecret.md'],
    ['a doubly encoded step', '%252e%252e%252fsecret.md'],
    ['a backslash', '..\\secret.md'],
    ['an empty step', 'a//b.md'],
    ['a closing slash', 'a/'],
    ['nothing', ''],
    ['NUL', 'a\0b.md'],
    ['a line break', 'a\u0085b.md'],
    ['text that turns around', 'a\u202Edm.exe'],
    ['an invisible character', 'a\u200Bb.md'],
    ['full-width dots', '．．/secret.md'],
    ['a full-width slash', 'a／..／b'],
    ['a leader of two dots', '‥/secret.md'],
    ['a decomposed letter', 'e\u0301.md'],
    ['a blank before a slash', 'a /b.md'],
    ['a component of 300 bytes', `${'a'.repeat(300)}.md`],
    ['a component of 300 bytes in few characters', `${'€'.repeat(100)}.md`],
    ['more than 1,000 characters', 'ab/'.repeat(333) + 'abc'],
    ['a wildcard', '*.md'],
    ['a quotation mark', 'a"b.md'],
  ])('with %s is refused', async (_what, given) => {
    const reply = await upload({ path: given });
    expect(reply.status, reply.text).toBe(400);
    expect(reply.body).toMatchObject({
      code: 'invalid_request',
      title: expect.stringMatching(/^A file path (is relative, such as notes\/week-1\.md|has)/),
      details: { param: 'path' },
    });
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\windows\\system32\\evil.dll', 'evil.dll'],
    ['/absolute/name.md', 'name.md'],
    ['C:\\Users\\teacher\\homework.md', 'homework.md'],
  ])('in a file name counts only by its last step: %s', async (filename, stored) => {
    const reply = await upload({ filename });
    expect(reply.status, reply.text).toBe(201);
    expect(reply.body).toMatchObject({ path: stored });
  });

  it.each(['..', '%2e%2e', 'a\u202Eb.md', '．．'])('a file name that is no name is refused: %s', async (filename) => {
    expect((await upload({ filename })).status).toBe(400);
  });

  it('of a tool is held to the same rules', async () => {
    for (const file_path of ['../secret.md', '/etc/passwd', '%2e%2e/x', 'a\u202Eb', 'a\0b', '．．/x']) {
      const reply = await lamb.call(teacher, 'POST', '/lamb/v1/completions/tools/single_file_rag/validate', {
        file_path,
      });
      expect(reply.body).toMatchObject({ valid: false, errors: [{ path: 'file_path' }] });
    }
    const fine = await lamb.call(teacher, 'POST', '/lamb/v1/completions/tools/single_file/validate', {
      file_path: 'a.md',
    });
    expect(fine.body).toEqual({ valid: true, errors: [] });
  });
});
