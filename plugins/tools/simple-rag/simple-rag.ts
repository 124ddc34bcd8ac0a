import type { Source } from '@lamb/contract';
import {
  defineTool,
  toFunctionName,
  ToolFailure,
  type KnowledgeAnswer,
  type KnowledgeHit,
  type ToolHost,
  type ToolResult,
} from '@lamb/plugin-kit';
import { createHash } from 'node:crypto';
import { z } from 'zod';

const CollectionId = z.preprocess(
  (id) => (Number.isInteger(id) ? String(id) : id),
  z.string().regex(/^[\w-]{1,100}$/, 'A collection id is letters, digits, _ and -; the list of collections shows it.'),
);

const Config = z.object({
  collections: z.array(CollectionId).min(1, 'Choose at least one collection.').max(50).meta({
    title: 'Collections',
    description: 'The collections to search, by their ids.',
    'x-widget': 'collections',
  }),
  top_k: z.int().min(1).max(100).default(3).meta({
    title: 'Passages per collection',
    description: 'How many passages each collection gives at most.',
  }),
  threshold: z.number().min(0).max(1).default(0).meta({
    title: 'Least similarity',
    description: 'Passages less similar to the question than this are left out; 0 keeps all.',
  }),
  query: z.string().max(10_000).optional().meta({
    title: 'Search with',
    description: "What to search with instead of the person's message. It may refer to placeholders, such as {rubric}.",
    'x-widget': 'textarea',
    'x-mode': 'context',
  }),
  rewrite_query: z.boolean().default(false).meta({
    title: 'Complete the question from the conversation',
    description:
      "Searches with a complete question that the organisation's small fast model makes of a follow-up such as “and why?”. Nothing happens to a query of your own, or when the model searches by itself.",
    'x-mode': 'context',
  }),
  citations: z.boolean().default(false).meta({
    title: 'Number the passages',
    description: 'Gives each passage a number and asks the model to cite with it, such as [1].',
    'x-initial': true,
  }),
  name: z.string().max(100).optional().meta({
    title: 'Name',
    description: 'What the collections are to the model when it decides whether to search, such as “course materials”.',
    'x-mode': 'function',
  }),
  description: z.string().max(1000).optional().meta({
    title: 'What is in it',
    description:
      'What the model reads to decide whether to search, such as “The textbook and the slides of the course.”',
    'x-widget': 'textarea',
    'x-mode': 'function',
  }),
});
type Config = z.infer<typeof Config>;

/** Searches knowledge-base collections and puts the best passages into the prompt, or lets the model search. */
export const simpleRag = defineTool({
  name: 'simple_rag',
  version: '1.0',
  category: 'knowledge',
  title: 'Knowledge base',
  description:
    'Searches collections of the knowledge base and puts the passages that fit best into the prompt, or lets the model search.',
  config: Config,
  templated: ['query'],
  context: {
    placeholder: 'context',
    rewritesQuery: ({ config }) => config.rewrite_query && !hasOwnQuery(config),
    status: ({ config }) => unique(config.collections).map((collection) => `querying knowledge base ${collection}`),
    async run({ config, query: question, host, signal }) {
      signal.throwIfAborted();
      const query = hasOwnQuery(config) ? config.query : question;
      if (query.trim() === '') return { content: '', sources: [], error: 'There is no text to search with.' };
      return await search(config, query, host, signal);
    },
  },
  function: {
    name: ({ config }) => nameFunction(config),
    description({ config: { name, description } }) {
      const what = name === undefined ? 'a knowledge base' : `the knowledge base “${name}”`;
      const contents = description === undefined ? '' : ` It holds: ${description}`;
      return `Searches ${what} and gives the passages that fit best.${contents}`;
    },
    input: z.object({
      query: z.string().trim().min(1).max(10_000).meta({
        description: 'What to search for: a question or its key terms, complete without the conversation.',
      }),
    }),
    effect: 'none',
    async run({ config, arguments: { query }, host, signal }) {
      signal.throwIfAborted();
      const result = await search(config, query, host, signal);
      return result.metadata?.['passages'] === 0 ? { ...result, content: 'Nothing was found.' } : result;
    },
  },
});

/** An empty field of the form, or a template whose placeholders stayed empty, searches with the message. */
function hasOwnQuery(config: Config): config is Config & { query: string } {
  return config.query !== undefined && config.query.trim() !== '';
}

/** An assistant may search several knowledge bases, each by a function of its own. */
function nameFunction({ name, collections }: Config): string {
  const given = toFunctionName(name ?? '');
  if (given !== undefined) return `query_${given}`;
  const ids = unique(collections).join('_');
  const hash = () => createHash('sha256').update(ids).digest('hex').slice(0, 12);
  return `query_knowledge_base_${ids.length <= 40 ? ids : hash()}`;
}

async function search(
  { collections, top_k: topK, threshold, citations }: Config,
  query: string,
  host: ToolHost,
  signal: AbortSignal,
): Promise<ToolResult> {
  const asked = unique(collections);
  const { hits, problems } = await host.knowledge.query({ collections: asked, query, topK, threshold }, signal);
  signal.throwIfAborted();

  const error = problems.map(describeProblem).join(' ');
  if (problems.length === asked.length) throw new ToolFailure(error);
  const found = citations
    ? { content: '', passages: hits.map((hit) => ({ text: hit.text, source: toSource(hit) })) }
    : { content: hits.map((hit) => hit.text).join('\n\n'), sources: hits.map(toSource) };
  return {
    ...found,
    metadata: { collections: asked.length, passages: hits.length },
    ...(error === '' ? {} : { error }),
  };
}

function toSource({ collection, documentId, title, headingPath, page, pageTo, url, similarity }: KnowledgeHit): Source {
  return {
    title,
    kind: 'knowledge',
    id: collection,
    ...(documentId === undefined ? {} : { document_id: documentId }),
    ...(headingPath === undefined || headingPath.length === 0 ? {} : { heading_path: [...headingPath] }),
    ...(page === undefined ? {} : { page }),
    ...(pageTo === undefined || pageTo === page ? {} : { page_to: pageTo }),
    ...(url === undefined ? {} : { url }),
    ...(similarity === undefined ? {} : { similarity }),
  };
}

function describeProblem({ collection, message }: KnowledgeAnswer['problems'][number]): string {
  return message.includes(collection) ? message : `Collection ${collection}: ${message}`;
}

function unique(collections: readonly string[]): string[] {
  return [...new Set(collections)];
}
