import { ToolFailure, type ToolHost } from '@lamb/plugin-kit';
import { createTestHost, describeTool } from '@lamb/plugin-kit/conformance';
import { expect, test } from 'vitest';
import { singleFileRag } from './single-file-rag.ts';

const hostWith = (files: Readonly<Record<string, string>>): ToolHost =>
  createTestHost({
    files: {
      read(path, { maxChars }) {
        const text = files[path];
        return Promise.resolve(
          text === undefined ? undefined : { text: text.slice(0, maxChars), truncated: text.length > maxChars },
        );
      },
    },
  });
const longPath = `${'very/long/'.repeat(90)}notes-🐑.md`;

describeTool(singleFileRag, {
  validConfigs: [{ file_path: '12/notes.md' }, { file_path: longPath, max_chars: 1, name: 'Notes of 語' }],
  invalidConfigs: [
    { config: {}, path: 'file_path' },
    { config: { file_path: '../secret' }, path: 'file_path' },
    { config: { file_path: '/etc/passwd' }, path: 'file_path' },
    { config: { file_path: 'a\nb' }, path: 'file_path' },
    { config: { file_path: 'a.md', max_chars: 0 }, path: 'max_chars' },
    { config: { file_path: 'a.md', max_chars: 500_001 }, path: 'max_chars' },
    { config: { file_path: 'a.md', max_chars: 1.5 }, path: 'max_chars' },
  ],
  host: hostWith({ '12/notes.md': 'text', [longPath]: 'text' }),
});

async function run(config: unknown, host: ToolHost) {
  const { signal } = new AbortController();
  const parsed = singleFileRag.config.parse(config);
  return singleFileRag.context?.run({ config: parsed, query: '', messages: [], host, signal });
}

test('the whole file is the content, and the file its source', async () => {
  expect(await run({ file_path: 'a.md' }, hostWith({ 'a.md': 'first\nsecond' }))).toEqual({
    content: 'first\nsecond',
    sources: [{ title: 'a.md', kind: 'file', id: 'a.md' }],
    metadata: { truncated: false, chars: 12 },
  });
});

test('a file that was cut says so in its last line', async () => {
  const result = await run({ file_path: 'a.md' }, hostWith({ 'a.md': 'x'.repeat(50_001) }));
  expect(result?.content.split('\n').at(-1)).toBe('[Only the first 50,000 characters of this file are shown.]');
  expect(result?.content.startsWith(`${'x'.repeat(50_000)}\n`)).toBe(true);
  expect(result?.metadata).toEqual({ truncated: true, chars: 50_000 });
});

test('a file that is not there is named', async () => {
  await expect(run({ file_path: 'b.md' }, hostWith({}))).rejects.toEqual(
    new ToolFailure("File b.md was not found or is not accessible to the assistant's owner."),
  );
});

test('the status names the file, and the end of a long path', () => {
  const status = (file_path: string) =>
    singleFileRag.context?.status?.({ config: singleFileRag.config.parse({ file_path }) });
  expect(status('12/notes.md')).toBe('reading file 12/notes.md');
  expect(status(longPath)).toMatch(/^reading file ….*\/notes-🐑\.md$/);
});

test('the model reads the same text, by a name that its creator may choose', async () => {
  const host = hostWith({ 'a.md': 'first' });
  const call = (config: unknown) => singleFileRag.config.parse(config);
  const { signal } = new AbortController();
  const result = await singleFileRag.function?.run({
    config: call({ file_path: 'a.md' }),
    arguments: {},
    idempotencyKey: 'k',
    host,
    signal,
  });
  expect(result).toEqual(await run({ file_path: 'a.md' }, host));
  const name = (config: unknown) => singleFileRag.function?.name({ config: call(config) });
  expect(name({ file_path: 'a.md' })).toBe('read_file');
  expect(name({ file_path: 'a.md', name: 'The syllabus' })).toBe('read_the_syllabus');
});
