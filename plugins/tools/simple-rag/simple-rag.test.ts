import { ToolFailure, type KnowledgeAnswer, type KnowledgeHit, type ToolHost } from '@lamb/plugin-kit';
import { createTestHost, describeTool } from '@lamb/plugin-kit/conformance';
import { describe, expect, test } from 'vitest';
import { simpleRag } from './simple-rag.ts';

type Query = ToolHost['knowledge']['query'];

const hostWith = (query: Query): ToolHost => createTestHost({ knowledge: { query } });
const hit = (text: string, similarity: number, more: Partial<KnowledgeHit> = {}): KnowledgeHit => ({
  text,
  similarity,
  title: `${text}.pdf`,
  collection: '1',
  ...more,
});
const found = (...hits: readonly KnowledgeHit[]): KnowledgeAnswer => ({ hits, problems: [] });

/** Knowledge bases by collection; a sentence in place of passages is the problem with it. */
function hostOf(knowledge: Readonly<Record<string, readonly KnowledgeHit[] | string>>): ToolHost {
  return hostWith(({ collections }) => {
    const hits: KnowledgeHit[] = [];
    const problems: { collection: string; message: string }[] = [];
    for (const collection of collections) {
      const known = knowledge[collection] ?? [];
      if (typeof known === 'string') problems.push({ collection, message: known });
      else hits.push(...known.map((one) => ({ ...one, collection })));
    }
    return Promise.resolve({ hits, problems });
  });
}

async function run(config: unknown, host: ToolHost, query = 'What is a vector?') {
  const { signal } = new AbortController();
  return simpleRag.context?.run({ config: simpleRag.config.parse(config), query, messages: [], host, signal });
}

describeTool(simpleRag, {
  validConfigs: [
    { collections: ['12', 15] },
    { collections: ['b9d31e0a-5f0e-4a52-9a4a-0d6a0f7c9c11'], top_k: 20, threshold: 1, query: 'terms in: {rubric}' },
    { collections: ['1'], name: 'Course materials', description: 'The textbook.' },
    { collections: ['12'], citations: true, rewrite_query: true },
  ],
  invalidConfigs: [
    { config: {}, path: 'collections' },
    { config: { collections: [] }, path: 'collections' },
    { config: { collections: ['1', '../2'] }, path: 'collections.1' },
    { config: { collections: ['1\n2'] }, path: 'collections.0' },
    { config: { collections: [1.5] }, path: 'collections.0' },
    { config: { collections: ['1'], top_k: 0 }, path: 'top_k' },
    { config: { collections: ['1'], top_k: 101 }, path: 'top_k' },
    { config: { collections: ['1'], threshold: 1.1 }, path: 'threshold' },
    { config: { collections: ['1'], query: 3 }, path: 'query' },
    { config: { collections: ['1'], name: 3 }, path: 'name' },
    { config: { collections: ['1'], citations: 'yes' }, path: 'citations' },
    { config: { collections: ['1'], rewrite_query: 1 }, path: 'rewrite_query' },
  ],
  validArguments: [{ query: 'What is a vector?' }],
  invalidArguments: [
    { arguments: {}, path: 'query' },
    { arguments: { query: ' ' }, path: 'query' },
    { arguments: { query: 'x'.repeat(10_001) }, path: 'query' },
  ],
  host: hostOf({ '12': [hit('a', 0.9)] }),
});

describe('what it gathers', () => {
  test('the passages in the order they were found, each with its source', async () => {
    const host = hostOf({
      '2': [hit('b', 0.7), hit('d', 0.1)],
      '1': [
        hit('a', 0.9, {
          url: '/passages/a',
          documentId: 'd1',
          headingPath: ['Motion', 'Force'],
          page: 3,
          pageTo: 4,
        }),
        hit('c', 0.5, { page: 2, pageTo: 2, headingPath: [] }),
      ],
    });
    expect(await run({ collections: ['1', '2'] }, host)).toEqual({
      content: 'a\n\nc\n\nb\n\nd',
      sources: [
        {
          title: 'a.pdf',
          kind: 'knowledge',
          id: '1',
          document_id: 'd1',
          heading_path: ['Motion', 'Force'],
          page: 3,
          page_to: 4,
          url: '/passages/a',
          similarity: 0.9,
        },
        { title: 'c.pdf', kind: 'knowledge', id: '1', page: 2, similarity: 0.5 },
        { title: 'b.pdf', kind: 'knowledge', id: '2', similarity: 0.7 },
        { title: 'd.pdf', kind: 'knowledge', id: '2', similarity: 0.1 },
      ],
      metadata: { collections: 2, passages: 4 },
    });
  });

  test('nothing, when nothing is found', async () => {
    expect(await run({ collections: ['1'] }, hostOf({}))).toEqual({
      content: '',
      sources: [],
      metadata: { collections: 1, passages: 0 },
    });
  });

  test('all collections are asked in one query, each once, with the settings', async () => {
    const asked: unknown[] = [];
    const host = hostWith((input) => {
      asked.push(input);
      return Promise.resolve(found());
    });
    await run({ collections: ['1', 2, '2'], top_k: 4, threshold: 0.3 }, host, 'Why?');
    expect(asked).toEqual([{ collections: ['1', '2'], query: 'Why?', topK: 4, threshold: 0.3 }]);
  });
});

describe('what it searches with', () => {
  const asked = async (config: object, query: string) => {
    const queries: string[] = [];
    const host = hostWith((input) => {
      queries.push(input.query);
      return Promise.resolve(found());
    });
    return { result: await run({ collections: ['1'], ...config }, host, query), queries };
  };

  test('its own query, when the creator gave one', async () => {
    expect((await asked({ query: 'terms' }, 'message')).queries).toEqual(['terms']);
  });

  test('the message, when its own query is empty', async () => {
    expect((await asked({ query: ' \n' }, 'message')).queries).toEqual(['message']);
  });

  test.each<[config: object, rewrites: boolean]>([
    [{}, false],
    [{ rewrite_query: true }, true],
    [{ rewrite_query: true, query: ' ' }, true],
    [{ rewrite_query: true, query: 'terms' }, false],
  ])('with %j it wants the question completed: %s', (config, rewrites) => {
    const parsed = simpleRag.config.parse({ collections: ['1'], ...config });
    expect(simpleRag.context?.rewritesQuery?.({ config: parsed })).toBe(rewrites);
  });

  test('nothing, when there is no text at all', async () => {
    const { result, queries } = await asked({}, '  ');
    expect(queries).toEqual([]);
    expect(result).toEqual({ content: '', sources: [], error: 'There is no text to search with.' });
  });
});

describe('with citations', () => {
  const config = { collections: ['1', '2'], citations: true };

  test('it gives passages to be numbered, each with its source', async () => {
    const host = hostOf({ '1': [hit('a', 0.9, { page: 3 })], '2': 'Down.' });
    expect(await run(config, host)).toEqual({
      content: '',
      passages: [{ text: 'a', source: { title: 'a.pdf', kind: 'knowledge', id: '1', page: 3, similarity: 0.9 } }],
      metadata: { collections: 2, passages: 1 },
      error: 'Collection 2: Down.',
    });
  });

  test('it gives none when nothing is found, and so says that the model cites', async () => {
    expect(await run(config, hostOf({}))).toMatchObject({ content: '', passages: [] });
  });
});

describe('when collections fail', () => {
  test('one failure is named and does not lose the others', async () => {
    const result = await run({ collections: ['1', '3'] }, hostOf({ '1': [hit('a', 0.9)], '3': 'Down.' }));
    expect(result?.content).toBe('a');
    expect(result?.sources).toHaveLength(1);
    expect(result?.error).toBe('Collection 3: Down.');
  });

  test('a failure that names the collection is repeated as it is', async () => {
    const host = hostOf({ '1': [hit('a', 0.9)], '22': 'Collection 22 is gone.' });
    expect((await run({ collections: ['1', '22'] }, host))?.error).toBe('Collection 22 is gone.');
  });

  test('when all fail, the tool fails', async () => {
    const host = hostOf({ '1': 'Down.', '2': 'Collection 2 is gone.' });
    await expect(run({ collections: ['1', '2'] }, host)).rejects.toEqual(
      new ToolFailure('Collection 1: Down. Collection 2 is gone.'),
    );
  });
});

test('the status names each collection', () => {
  const config = simpleRag.config.parse({ collections: [12, '15', '12'], query: 'secret' });
  expect(simpleRag.context?.status?.({ config })).toEqual(['querying knowledge base 12', 'querying knowledge base 15']);
});

test('an abort ends it even when the knowledge base has already answered', async () => {
  const controller = new AbortController();
  const host = hostWith(() => {
    controller.abort();
    return Promise.resolve(found(hit('a', 0.9)));
  });
  const config = simpleRag.config.parse({ collections: ['1', '2'] });
  const { signal } = controller;
  await expect(simpleRag.context?.run({ config, query: 'q', messages: [], host, signal })).rejects.toBe(signal.reason);
});

describe('when the model calls it', () => {
  const call = async (config: unknown, host: ToolHost, query = 'force') =>
    simpleRag.function?.run({
      config: simpleRag.config.parse(config),
      arguments: { query },
      idempotencyKey: 'k',
      host,
      signal: new AbortController().signal,
    });
  const name = (config: unknown) => simpleRag.function?.name({ config: simpleRag.config.parse(config) });

  test('it searches with what the model sent, and gives what it gives as context', async () => {
    const asked: string[] = [];
    const host = hostWith(({ query }) => {
      asked.push(query);
      return Promise.resolve(found(hit('a', 0.9)));
    });
    const result = await call({ collections: ['1'], query: 'of its creator' }, host);
    expect(result).toEqual(await run({ collections: ['1'] }, host));
    expect(asked[0]).toBe('force');
  });

  test('it says when nothing was found, and which collections failed', async () => {
    expect((await call({ collections: ['1'] }, hostOf({})))?.content).toBe('Nothing was found.');
    const citing = { collections: ['1'], citations: true };
    expect(await call(citing, hostOf({}))).toMatchObject({ content: 'Nothing was found.', passages: [] });
    expect((await call(citing, hostOf({ '1': [hit('a', 1)] })))?.content).toBe('');
    const result = await call({ collections: ['1', '2'] }, hostOf({ '2': 'Down.' }));
    expect(result).toMatchObject({ content: 'Nothing was found.', error: 'Collection 2: Down.' });
  });

  test('two knowledge bases of one assistant are two functions', () => {
    expect(name({ collections: ['12'] })).toBe('query_knowledge_base_12');
    expect(name({ collections: ['12', '15', 12] })).toBe('query_knowledge_base_12_15');
    expect(name({ collections: ['12'], name: 'Course materials' })).toBe('query_course_materials');
    const many = (last: string) => name({ collections: [...Array.from({ length: 20 }, (_, id) => id), last] });
    expect(many('a')).toMatch(/^query_knowledge_base_[0-9a-f]{12}$/);
    expect(many('a')).not.toBe(many('b'));
  });
});
