import { ToolFailure, type ToolHost, type ToolResult } from '@lamb/plugin-kit';
import { createTestHost, describeTool } from '@lamb/plugin-kit/conformance';
import { describe, expect, test } from 'vitest';
import { patchFile } from './patch-file.ts';

/** A workspace in memory that keeps the rules of the real one. */
function openWorkspace(files: Record<string, string>) {
  const stored = new Map(Object.entries(files).map(([path, text]) => [path, { path, text, version: 1 }]));
  const written: string[] = [];
  const host: ToolHost = createTestHost({
    workspace: {
      list: () => Promise.resolve([...stored.keys()].sort()),
      read: (path) => Promise.resolve(stored.get(path)),
      replace(file) {
        if (stored.get(file.path)?.version !== file.version) {
          return Promise.reject(new ToolFailure(`${file.path} was changed meanwhile.`));
        }
        stored.set(file.path, { ...file, version: file.version + 1 });
        written.push(file.path);
        return Promise.resolve();
      },
    },
  });
  return { host, written, textOf: (path: string) => stored.get(path)?.text };
}

const oneChange = { line_start: 1, line_end: 1, old_content: 'a', new_content: 'b' };

describeTool(patchFile, {
  validConfigs: [{}],
  invalidConfigs: [
    { config: [], path: '' },
    { config: { max_chars: 0 }, path: 'max_chars' },
  ],
  validArguments: [
    { file_path: 'notes/week-1.md', changes: [oneChange] },
    { file_path: 'b.md', changes: [{ ...oneChange, line_end: 0, old_content: '', reason: 'A title was missing' }] },
  ],
  invalidArguments: [
    ...['../a.md', '/etc/passwd', '%2e%2e/a.md', '%252e%252e/a.md', '..\\a.md', 'a/./b', ''].map(refusePath),
    ...['a\0.md', 'a\u202e.md', '．．/a.md', 'e\u0301.md', `${'ž'.repeat(150)}.md`].map(refusePath),
    { arguments: { file_path: 'a.md', changes: [] }, path: 'changes' },
    { arguments: { file_path: 'a.md', changes: Array.from({ length: 201 }, () => oneChange) }, path: 'changes' },
    { arguments: { file_path: 'a.md', changes: [{ ...oneChange, line_start: 0 }] }, path: 'changes.0.line_start' },
    { arguments: { file_path: 'a.md', changes: [{ ...oneChange, line_end: 1.5 }] }, path: 'changes.0.line_end' },
    { arguments: { file_path: 'a.md', changes: [{ line_start: 1, line_end: 1 }] }, path: 'changes.0.old_content' },
  ],
  host: openWorkspace({ 'notes/week-1.md': 'a\n', 'b.md': '' }).host,
});

function refusePath(file_path: string) {
  return { arguments: { file_path, changes: [oneChange] }, path: 'file_path' };
}

async function call(host: ToolHost, given: unknown): Promise<ToolResult> {
  const { signal } = new AbortController();
  const parsed = patchFile.function?.input.parse(given) ?? {};
  const run = patchFile.function?.run({
    config: { max_chars: 1 },
    arguments: parsed,
    idempotencyKey: 'run:call',
    host,
    signal,
  });
  return (await run) ?? { content: '' };
}

const seven = 'def func1():\n    pass\n\ndef func2():\n    pass\n\n# comment\n';
const addPrints = [
  { line_start: 2, line_end: 2, old_content: '    pass', new_content: "    print('one')\n    pass" },
  { line_start: 5, line_end: 5, old_content: '    pass', new_content: "    print('two')\n    pass" },
];

describe('as it was documented before', () => {
  test('a function is replaced, with the docstring it lacked', async () => {
    const { host, textOf, written } = openWorkspace({ 'example.py': 'def old_func():\n    pass\n\nold_func()\n' });
    const result = await call(host, {
      file_path: 'example.py',
      changes: [
        {
          line_start: 1,
          line_end: 3,
          old_content: 'def old_func():\n    pass',
          new_content: 'def new_func():\n    """Improved function."""\n    pass',
          reason: 'Added docstring',
        },
      ],
    });
    expect(textOf('example.py')).toBe('def new_func():\n    """Improved function."""\n    pass\nold_func()\n');
    const diff = [
      '--- a/example.py',
      '+++ b/example.py',
      '@@ -1,4 +1,4 @@',
      '-def old_func():',
      '+def new_func():',
      '+    """Improved function."""',
      '     pass',
      '-',
      ' old_func()',
      '',
    ].join('\n');
    expect(result).toEqual({
      content: `example.py: 1 change made. It now has 4 lines.\n\n${diff}`,
      artifacts: [{ kind: 'diff', title: 'example.py', text: diff }],
      metadata: { changes: 1, lines: 4 },
    });
    expect(written).toEqual(['example.py']);
  });

  test('changes at lines 7-8, 4-5 and 1-2 use the original numbers, in whatever order they come', async () => {
    const changes = [1, 4, 7].map((at) => ({
      line_start: at,
      line_end: at + 1,
      old_content: `${at}\n${at + 1}`,
      new_content: `first of ${at}\nmiddle\nlast of ${at}`,
    }));
    for (const order of [changes, changes.toReversed()]) {
      const { host, textOf } = openWorkspace({ 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n' });
      await call(host, { file_path: 'a.txt', changes: order });
      expect(textOf('a.txt')).toBe(
        'first of 1\nmiddle\nlast of 1\n3\nfirst of 4\nmiddle\nlast of 4\n6\nfirst of 7\nmiddle\nlast of 7\n',
      );
    }
  });

  test('line 8 of a file of seven lines is refused, although the file would have nine by then', async () => {
    const { host, textOf, written } = openWorkspace({ 'f.py': seven });
    const result = await call(host, {
      file_path: 'f.py',
      changes: [...addPrints, { line_start: 8, line_end: 8, old_content: '', new_content: '# more' }],
    });
    expect(result.error).toBe(
      'Invalid line range 8-8: the file has 7 lines. All line numbers refer to the original file, before any change of this call.',
    );
    expect(result.content).toContain('\n7: # comment');
    expect(textOf('f.py')).toBe(seven);
    expect(written).toEqual([]);
    await call(host, { file_path: 'f.py', changes: addPrints });
    expect(textOf('f.py')?.split('\n')).toHaveLength(10);
  });

  test('content that is not there is a mismatch, and the model sees what is', async () => {
    const { host, textOf } = openWorkspace({ 'f.py': seven });
    const result = await call(host, {
      file_path: 'f.py',
      changes: [{ line_start: 4, line_end: 5, old_content: 'def func2():\n    return', new_content: '' }],
    });
    expect(result.error).toMatch(/^Content mismatch at lines 4-5: /);
    expect(result.error, 'the error is shown to people: no text of the document').not.toContain('func2');
    expect(result.content).toBe(
      'Lines 1-7 of 7:\n1: def func1():\n2:     pass\n3: \n4: def func2():\n5:     pass\n6: \n7: # comment',
    );
    expect(textOf('f.py')).toBe(seven);
  });
});

describe('a call', () => {
  const changes = [oneChange];

  test('for a file that is not there says so', async () => {
    await expect(call(openWorkspace({}).host, { file_path: 'none.md', changes })).rejects.toEqual(
      new ToolFailure('File not found: none.md. The person must put it into the workspace first.'),
    );
  });

  test('that changes nothing writes nothing', async () => {
    const { host, written } = openWorkspace({ 'a.md': 'a\n' });
    const result = await call(host, { file_path: 'a.md', changes: [{ ...oneChange, new_content: 'a' }] });
    expect(result).toEqual({ content: 'a.md is already like this; nothing was changed.' });
    expect(written).toEqual([]);
  });

  test.each(['\ud800', 'a\0'])('with new content that is no text is refused: %j', async (new_content) => {
    const { host, textOf } = openWorkspace({ 'a.md': 'a\n' });
    await expect(call(host, { file_path: 'a.md', changes: [{ ...oneChange, new_content }] })).rejects.toThrow(
      'not text',
    );
    expect(textOf('a.md')).toBe('a\n');
  });

  test('with a line of 50 MB is refused', async () => {
    const { host, textOf } = openWorkspace({ 'a.md': 'a\n' });
    const new_content = 'x'.repeat(50_000_000);
    const result = await call(host, { file_path: 'a.md', changes: [{ ...oneChange, new_content }] });
    expect(result.error).toMatch(/larger than 2 MB/);
    expect(textOf('a.md')).toBe('a\n');
  });

  test('of two at the same time one wins, and the other is told', async () => {
    const { host, textOf, written } = openWorkspace({ 'a.md': 'a\n' });
    const outcomes = await Promise.allSettled(
      ['b', 'c'].map((new_content) => call(host, { file_path: 'a.md', changes: [{ ...oneChange, new_content }] })),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(textOf('a.md')).toBe('b\n');
    expect(written).toHaveLength(1);
  });

  test('with a very long diff shows its beginning, and makes it all', async () => {
    const { host, textOf } = openWorkspace({ 'a.md': 'a\n' });
    const new_content = Array.from({ length: 50_000 }, (_, n) => `line ${n}`).join('\n');
    const result = await call(host, { file_path: 'a.md', changes: [{ ...oneChange, new_content }] });
    expect(result.artifacts?.[0]?.text?.length).toBeLessThan(101_000);
    expect(result.content).toMatch(/\[The rest of the diff is left out here; the file has all of it\.\]\n$/);
    expect(textOf('a.md')).toBe(`${new_content}\n`);
  });
});

test('the model is shown a bounded piece of a long file', async () => {
  const long = `${'x'.repeat(1000)}\n`.repeat(1000);
  const { host } = openWorkspace({ 'a.md': long });
  const result = await call(host, {
    file_path: 'a.md',
    changes: [{ line_start: 500, line_end: 500, old_content: 'y', new_content: 'z' }],
  });
  expect(result.content).toMatch(/^Lines 490-540 of 1000:\n490: x/);
  expect(result.content.length).toBeLessThan(20_000);
});

describe('as context', () => {
  const show = async (files: Record<string, string>, max_chars = 50_000) => {
    const { signal } = new AbortController();
    const { host } = openWorkspace(files);
    return await patchFile.context?.run({ config: { max_chars }, query: '', messages: [], host, signal });
  };

  test('the model sees every file with the line numbers that it must use', async () => {
    expect(await show({ 'b.py': 'x = 1\ny = 2\n', 'a.py': 'pass' })).toMatchObject({
      content: 'File a.py (1 line):\n1: pass\n\nFile b.py (2 lines):\n1: x = 1\n2: y = 2',
      sources: [{ title: 'a.py' }, { title: 'b.py' }],
    });
  });

  test('what is too long is cut between lines, and the model is told', async () => {
    const shown = await show({ 'a.py': 'first line\nsecond line\n', 'b.py': 'never' }, 40);
    expect(shown?.content).toBe(
      'File a.py (2 lines):\n1: first line\n\n[Only the first 40 characters of the workspace are shown.]',
    );
  });

  test('a workspace without files leaves the placeholder empty', async () => {
    expect((await show({}))?.content).toBe('');
  });
});
