import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, type Tool } from '../define-tool.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { ToolHost } from '../tool-host.ts';
import type { ToolResult } from '../tool-result.ts';
import { createTestHost } from './create-test-host.ts';
import { describeTool } from './describe-tool.ts';
import type { ToolExamples } from './tool-case.ts';
import { toolCases } from './tool-cases.ts';

const host: ToolHost = createTestHost({
  knowledge: { query: () => Promise.resolve({ hits: [], problems: [] }) },
  rubrics: { get: () => Promise.resolve(undefined) },
  files: { read: () => Promise.resolve({ text: 'text', truncated: false }) },
});

const good = defineTool({
  name: 'read_note',
  version: '1.0',
  category: 'file',
  title: 'Note',
  description: 'Puts a note into the prompt.',
  config: z.object({
    path: z.string().min(1).meta({ title: 'Path', description: 'Which note.' }),
    heading: z.string().default('').meta({ title: 'Heading', description: 'What stands above it.' }),
  }),
  templated: ['heading'],
  context: {
    placeholder: 'note',
    status: ({ config }) => `reading note ${config.path}`,
    async run({ config, host: { files }, signal }) {
      signal.throwIfAborted();
      const file = await files.read(config.path, { maxChars: 100 }, signal);
      if (!file) throw new ToolFailure(`Note ${config.path} was not found.`);
      return { content: `${config.heading}${file.text}`, sources: [{ title: config.path }] };
    },
  },
  function: {
    name: () => 'read_note',
    description: ({ config }) => `Reads the note ${config.path} from a line on.`,
    input: z.object({ line: z.int().min(1).meta({ description: 'The first line to read.' }) }),
    effect: 'none',
    async run({ config, arguments: { line }, host: { files }, signal }) {
      signal.throwIfAborted();
      const file = await files.read(config.path, { maxChars: 100 }, signal);
      if (!file) throw new ToolFailure(`Note ${config.path} was not found.`);
      return {
        content: file.text
          .split('\n')
          .slice(line - 1)
          .join('\n'),
      };
    },
  },
});

const examples: ToolExamples = {
  validConfigs: [{ path: 'a' }, { path: 'b', heading: '{rubric}' }],
  invalidConfigs: [
    { config: { path: '' }, path: 'path' },
    { config: null, path: '' },
  ],
  host,
  validArguments: [{ line: 1 }, { line: 7 }],
  invalidArguments: [
    { arguments: {}, path: 'line' },
    { arguments: { line: 0 }, path: 'line' },
    { arguments: null, path: '' },
  ],
};

describeTool(good, examples);

type Context = NonNullable<Tool['context']>;
const withContext = (change: Partial<Context>): Tool => ({
  ...good,
  context: { placeholder: 'note', run: () => Promise.resolve({ content: '' }), ...good.context, ...change },
});
type Callable = NonNullable<Tool['function']>;
const withFunction = (change: Partial<Callable>): Tool => ({
  ...good,
  function: {
    name: () => 'read_note',
    description: () => 'Reads a note.',
    input: z.object({}),
    effect: 'none',
    run: () => Promise.resolve({ content: '' }),
    ...good.function,
    ...change,
  },
});
let calls = 0;
const withConfig = (config: z.ZodType<Record<string, unknown>>): Tool => ({ ...good, config });
const meta = { title: 'Path', description: 'Which note.' };

const violations: readonly [rule: string, tool: Tool, changed?: Partial<ToolExamples>][] = [
  ['has a name', { ...good, name: 'Read-Note' }],
  ['has a name', { ...good, title: ' ' }],
  ['has a name', { ...good, version: 'new' }],
  ['describes every field', withConfig(z.object({ path: z.string() }))],
  ['describes every field', withConfig(z.object({ list: z.array(z.object({ deep: z.string() })).meta(meta) }))],
  ['describes every field', withConfig(z.record(z.string(), z.string()).transform((value) => value))],
  ['marks only text fields', { ...good, templated: ['nothing'] }],
  ['accepts valid configuration 1', good, { validConfigs: [{ path: 1 }] }],
  [
    'accepts valid configuration 1',
    withConfig(
      z.object({
        path: z
          .string()
          .transform((path) => `/${path}`)
          .meta(meta),
      }),
    ),
  ],
  ['refuses invalid configuration 1', good, { invalidConfigs: [{ config: { path: 'fine' }, path: 'path' }] }],
  ['refuses invalid configuration 1', good, { invalidConfigs: [{ config: { path: '' }, path: 'heading' }] }],
  ['fills a well-formed placeholder', withContext({ placeholder: 'Note!' })],
  ['fills a well-formed placeholder', withContext({ placeholder: 'user_input' })],
  ['says what it does', withContext({ status: ({ config }) => `searching ${String(config['heading'])}` })],
  ['says what it does', withContext({ status: () => 'two\nlines' })],
  ['says what it does', withContext({ status: () => ['fine', 'x'.repeat(200)] })],
  ['returns a valid result', withContext({ run: () => Promise.resolve({ content: 3 } as unknown as ToolResult) })],
  ['returns a valid result', withContext({ run: () => Promise.resolve({ content: '', error: 'down' }) })],
  ['does not start when already aborted', withContext({ run: () => Promise.resolve({ content: '' }) })],
  [
    'stops when aborted',
    withContext({
      async run({ host: { files } }) {
        await files.read('a', { maxChars: 1 }, new AbortController().signal);
        return { content: '' };
      },
    }),
  ],
  [
    'stops when aborted',
    withContext({
      async run({ host: { files }, signal }) {
        await files.read('a', { maxChars: 1 }, signal).catch(() => undefined);
        return { content: '' };
      },
    }),
  ],
  [
    'fails without giving anything away',
    withContext({
      async run({ host: { files }, signal }) {
        try {
          await files.read('a', { maxChars: 1 }, signal);
        } catch (error) {
          throw new ToolFailure(`It failed: ${String(error)}`);
        }
        return { content: '' };
      },
    }),
  ],
  [
    'fails without giving anything away',
    withContext({
      async run({ host: { files }, signal }) {
        const file = await files.read('a', { maxChars: 1 }, signal).catch(() => undefined);
        return { content: file?.text ?? '' };
      },
    }),
  ],
  ['offers a well-formed function', withFunction({ name: () => 'read the note' })],
  ['offers a well-formed function', withFunction({ name: () => 'n'.repeat(65) })],
  ['offers a well-formed function', withFunction({ name: () => `read_note_${String((calls += 1))}` })],
  ['offers a well-formed function', withFunction({ description: () => ' ' })],
  ['describes every argument', withFunction({ input: z.object({ line: z.int() }) })],
  ['describes every argument', withFunction({ input: z.record(z.string(), z.string()) })],
  ['accepts valid arguments 1', good, { validArguments: [{ line: 'first' }] }],
  ['refuses invalid arguments 1', good, { invalidArguments: [{ arguments: { line: 1 }, path: 'line' }] }],
  ['refuses invalid arguments 1', good, { invalidArguments: [{ arguments: { line: 0 }, path: 'path' }] }],
  [
    'when called, returns a valid result',
    withFunction({ run: () => Promise.resolve({ content: 3 } as unknown as ToolResult) }),
  ],
  [
    'when called, returns a valid result, arguments 2',
    withFunction({
      run: ({ arguments: { line } }) =>
        Promise.resolve(line === 7 ? { content: '', error: 'too far' } : { content: '' }),
    }),
  ],
  ['when called, does not start when already aborted', withFunction({ run: () => Promise.resolve({ content: '' }) })],
  [
    'when called, stops when aborted',
    withFunction({
      async run({ host: { files } }) {
        await files.read('a', { maxChars: 1 }, new AbortController().signal);
        return { content: '' };
      },
    }),
  ],
  [
    'when called, fails without giving anything away',
    withFunction({
      async run({ host: { files }, signal }) {
        const file = await files
          .read('a', { maxChars: 1 }, signal)
          .catch((error: unknown) => ({ text: String(error) }));
        return { content: file?.text ?? '', error: 'It failed.' };
      },
    }),
  ],
];

test.each(violations)('a violation of “%s” is found', async (rule, tool, changed) => {
  const found = toolCases(tool, { ...examples, ...changed }).filter(({ name }) => name.startsWith(rule));
  expect(found).not.toHaveLength(0);
  const outcomes = await Promise.allSettled(found.map(async ({ run }) => run()));
  expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
});
