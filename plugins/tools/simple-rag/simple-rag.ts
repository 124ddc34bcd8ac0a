import { defineTool, ToolFailure, type KnowledgeHit } from '@lamb/plugin-kit';
import { z } from 'zod';

const CollectionId = z.preprocess(
  (id) => (Number.isInteger(id) ? String(id) : id),
  z.string().regex(/^[\w-]{1,100}$/, 'A collection id is letters, digits, _ and -; the list of collections shows it.'),
);

interface Outcome {
  readonly collection: string;
  readonly hits: readonly KnowledgeHit[];
  readonly problem?: string;
  readonly cause?: unknown;
}

/** Searches knowledge-base collections and puts the best passages into the prompt. */
export const simpleRag = defineTool({
  name: 'simple_rag',
  version: '1.0',
  category: 'knowledge',
  title: 'Knowledge base',
  description: 'Searches collections of the knowledge base and puts the passages that fit best into the prompt.',
  config: z.object({
    collections: z.array(CollectionId).min(1, 'Choose at least one collection.').max(50).meta({
      title: 'Collections',
      description: 'The collections to search, by their ids.',
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
      description:
        "What to search with instead of the person's message. It may refer to placeholders, such as {rubric}.",
    }),
  }),
  templated: ['query'],
  context: {
    placeholder: 'context',
    status: ({ config }) => unique(config.collections).map((collection) => `querying knowledge base ${collection}`),
    async run({ config, query: question, host, signal }) {
      signal.throwIfAborted();
      // An empty field of the form, or a template whose placeholders stayed empty, searches with the message.
      const query = config.query === undefined || config.query.trim() === '' ? question : config.query;
      if (query.trim() === '') return { content: '', sources: [], error: 'There is no text to search with.' };

      const { top_k: topK, threshold } = config;
      const outcomes = await Promise.all(
        unique(config.collections).map(async (collection): Promise<Outcome> => {
          try {
            const hits = await host.knowledge.query({ collection, query, topK, threshold }, signal);
            return { collection, hits: hits.slice(0, topK) };
          } catch (cause) {
            return { collection, hits: [], problem: describeProblem(collection, cause), cause };
          }
        }),
      );
      signal.throwIfAborted();

      const problems = outcomes.flatMap((outcome) => outcome.problem ?? []);
      if (problems.length === outcomes.length) {
        throw new ToolFailure(problems.join(' '), { cause: new AggregateError(outcomes.map(({ cause }) => cause)) });
      }
      const hits = outcomes
        .flatMap((outcome) => outcome.hits.map((hit) => ({ ...hit, collection: outcome.collection })))
        .toSorted((a, b) => b.similarity - a.similarity);
      return {
        content: hits.map((hit) => hit.text).join('\n\n'),
        sources: hits.map(({ title, url, page, similarity, collection }) => ({
          title,
          kind: 'knowledge',
          id: collection,
          similarity,
          ...(url === undefined ? {} : { url }),
          ...(page === undefined ? {} : { page }),
        })),
        metadata: { collections: outcomes.length, passages: hits.length },
        ...(problems.length === 0 ? {} : { error: problems.join(' ') }),
      };
    },
  },
});

/** Only a `ToolFailure` carries a message that is safe to show. */
function describeProblem(collection: string, cause: unknown): string {
  if (!(cause instanceof ToolFailure)) return `Collection ${collection} could not be queried.`;
  return cause.message.includes(collection) ? cause.message : `Collection ${collection}: ${cause.message}`;
}

function unique(collections: readonly string[]): string[] {
  return [...new Set(collections)];
}
