import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssistantMetadata } from './assistant-metadata.ts';
import { convertMetadata } from './convert-metadata.ts';
import { readMetadata } from './read-metadata.ts';
import { writeMetadata } from './write-metadata.ts';

const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const key = fc.stringMatching(/^[a-z][a-z_]{0,12}$/);
const freeKey = key.filter((name) => !['rag_processor', 'rubric_id', 'rubric_format', 'file_path'].includes(name));

const toolEntry = fc
  .record(
    {
      type: fc.constantFrom('simple_rag', 'rubric_rag', 'weather', 'assistant', 'no_rag', 'glossary'),
      mode: fc.constantFrom('context' as const, 'function' as const),
      enabled: fc.boolean(),
      placeholder: key,
      timeout_ms: fc.integer({ min: 1, max: 600_000 }),
      fallback: fc.string(),
      config: fc.dictionary(key, json),
    },
    { requiredKeys: ['type', 'mode', 'enabled', 'config'] },
  )
  .chain((entry) =>
    fc.dictionary(fc.constantFrom('note', 'colour', 'x_ui'), json).map((extra) => ({ ...extra, ...entry })),
  );

const metadata = fc
  .record(
    {
      _format_version: fc.constant(2 as const),
      assistant_type: fc.constantFrom('classic' as const, 'multi_tool' as const),
      prompt_processor: fc.constantFrom('simple_augment', 'multi_augment', 'something_new'),
      connector: fc.constantFrom('openai', 'ollama'),
      llm: fc.string(),
      capabilities: fc.record({ vision: fc.boolean(), image_generation: fc.boolean() }),
      verbose: fc.boolean(),
      limits: fc.record({ max_iterations: fc.integer({ min: 1, max: 50 }) }),
      tools: fc.array(toolEntry, { maxLength: 4 }),
    },
    {
      requiredKeys: [
        '_format_version',
        'assistant_type',
        'prompt_processor',
        'connector',
        'llm',
        'capabilities',
        'verbose',
        'tools',
      ],
    },
  )
  .chain((known) => fc.dictionary(freeKey, json).map((extra) => ({ ...extra, ...known })))
  .filter((candidate) => AssistantMetadata.safeParse(candidate).success);

describe('metadata', () => {
  it('reads back exactly what it wrote, unknown keys included', () => {
    fc.assert(
      fc.property(metadata, (original) => {
        const { metadata: again, problems } = readMetadata(writeMetadata(original).metadata);
        expect(problems).toEqual([]);
        expect(again).toEqual(original);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, and always gives something that can be written and read again', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          json,
          fc.string(),
          metadata,
          fc.dictionary(fc.constantFrom('tools', 'limits', 'capabilities', 'llm', 'rag_processor'), json),
        ),
        (raw) => {
          const { metadata: first } = readMetadata(raw);
          expect(AssistantMetadata.safeParse(first).success).toBe(true);
          expect(readMetadata(writeMetadata(first).metadata).metadata).toEqual(first);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['a bare name', 'weather', { type: 'weather', mode: 'function', enabled: true, config: {} }],
    [
      'the earlier names',
      { type: 'rubric', enabled: false, config: { rubric_id: 42 } },
      { type: 'rubric_rag', mode: 'context', enabled: false, config: { rubric_id: 42 } },
    ],
    [
      '`plugin` for `type`',
      { plugin: 'single_file', config: { file_path: 'a.md' } },
      { type: 'single_file_rag', mode: 'context', enabled: true, config: { file_path: 'a.md' } },
    ],
    [
      'an assistant',
      { type: 'assistant', assistant_id: 42, name: 'math', description: 'm', colour: 'red' },
      {
        type: 'assistant',
        mode: 'function',
        enabled: true,
        colour: 'red',
        config: { assistant_id: 42, name: 'math', description: 'm' },
      },
    ],
    [
      'a knowledge base',
      { type: 'knowledge_base', kb_id: 7, name: 'kb' },
      { type: 'simple_rag', mode: 'function', enabled: true, config: { collections: ['7'], name: 'kb' } },
    ],
  ])('reads %s', (_shape, entry, expected) => {
    expect(readMetadata({ assistant_type: 'multi_tool', tools: [entry] }).metadata.tools).toEqual([expected]);
  });

  it.each([
    ['simple_rag', {}, { collections: ['3', '5'], top_k: 4 }],
    ['rubric_rag', { rubric_id: 9 }, { rubric_id: '9', format: 'markdown' }],
    ['single_file_rag', { file_path: 'notes.md' }, { file_path: 'notes.md' }],
  ])('reads the classic %s into a tool on {context}', (rag_processor, extra, config) => {
    const raw = JSON.stringify({ rag_processor, llm: 'm', ...extra });
    const { metadata: read } = readMetadata(raw, { ragCollections: '3, 5,', ragTopK: 4 });
    expect(read.assistant_type).toBe('classic');
    expect(read.tools).toEqual([
      { type: rag_processor, mode: 'context', enabled: true, placeholder: 'context', config },
    ]);
  });

  it.each(['no_rag', 'No RAG', ''])('reads rag_processor “%s” as no tool', (rag_processor) => {
    expect(readMetadata({ rag_processor }).metadata.tools).toEqual([]);
  });

  it('reads context tools without an assistant type as multi-tool, and their old rag_processor as a mirror', () => {
    const { metadata: read } = readMetadata({
      rag_processor: 'simple_rag',
      tools: [
        { type: 'rubric', enabled: true, config: { rubric_id: 42 } },
        { type: 'single_file', enabled: false, config: { file_path: 'a.md' } },
      ],
    });
    expect(read.assistant_type).toBe('multi_tool');
    expect(read.prompt_processor).toBe('multi_augment');
    expect(read.tools.map(({ type }) => type)).toEqual(['rubric_rag', 'single_file_rag']);
  });

  it('keeps classic functions beside the classic retrieval tool', () => {
    const { metadata: read } = readMetadata({
      rag_processor: 'simple_rag',
      connector: 'openai_tools',
      tools: ['weather', 'moodle'],
    });
    expect(read.connector).toBe('openai');
    expect(read.tools.map((tool) => `${tool.type}:${tool.mode}`)).toEqual([
      'simple_rag:context',
      'weather:function',
      'moodle:function',
    ]);
  });

  it('mirrors the classic settings where an older installation looks for them', () => {
    const { metadata: read } = readMetadata({ rag_processor: 'rubric_rag', rubric_id: 'r-1' });
    expect(JSON.parse(writeMetadata(read).metadata)).toMatchObject({
      rag_processor: 'rubric_rag',
      rubric_id: 'r-1',
      rubric_format: 'markdown',
    });
    const withCollections = readMetadata({ rag_processor: 'simple_rag' }, { ragCollections: '1,2', ragTopK: 7 });
    expect(writeMetadata(withCollections.metadata)).toMatchObject({ ragCollections: '1,2', ragTopK: 7 });
  });

  it.each(['{broken', '[]', '"text"', 'null '])('shows a problem instead of failing on %s', (raw) => {
    const { problems, metadata: read } = readMetadata(raw);
    expect(read.connector).toBe('openai');
    if (raw.trim() !== 'null') expect(problems[0]?.severity).toBe('error');
  });
});

describe('convertMetadata', () => {
  it('keeps everything but the type, the processor and where the tool writes; twice is once', () => {
    fc.assert(
      fc.property(metadata, (original) => {
        const converted = convertMetadata(original);
        expect(AssistantMetadata.safeParse(converted).success).toBe(true);
        expect(convertMetadata(converted)).toBe(converted);
        expect(readMetadata(writeMetadata(converted).metadata).metadata).toEqual(converted);
        const { assistant_type: _type, prompt_processor: _processor, tools, ...rest } = converted;
        expect(original).toMatchObject(rest);
        expect(tools.map(({ placeholder: _, ...entry }) => entry)).toEqual(
          original.tools.map(({ placeholder: _, ...entry }) => entry),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('makes the classic tool fill {context}, whatever its own placeholder is, and leaves functions alone', () => {
    const raw = JSON.stringify({
      rag_processor: 'rubric_rag',
      rubric_id: 9,
      tools: ['weather'],
      assistant_type: 'classic',
      x: 1,
    });
    const converted = convertMetadata(readMetadata(raw).metadata);
    expect(converted).toMatchObject({ assistant_type: 'multi_tool', prompt_processor: 'multi_augment', x: 1 });
    expect(converted.tools).toMatchObject([
      { type: 'rubric_rag', mode: 'context', placeholder: 'context', config: { rubric_id: '9' } },
      { type: 'weather', mode: 'function' },
    ]);
    expect(converted.tools[1]).not.toHaveProperty('placeholder');
    expect(convertMetadata(readMetadata('{"prompt_processor":"moodle_augment"}').metadata).prompt_processor).toBe(
      'moodle_augment',
    );
  });
});
