import { CollectionQueryReply, CollectionResource, type Ranking } from '@lamb/contract';
import { CliError } from '../cli-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { createProgress, type Progress } from '../terminal/create-progress.ts';
import { formatTable } from '../terminal/format-table.ts';
import { findCollection } from './find-collection.ts';
import { averageQuality, measureRanking, type RankingQuality } from './measure-ranking.ts';
import { readJudgedQueries, type JudgedQuery } from './read-judged-queries.ts';
import { tuneRanking, type Found, type JudgedSearch } from './tune-ranking.ts';

const QUERIES_AT_ONCE = 4;
/** As deep as the server goes; tens of passages can be of one document. */
const DEPTH = 100;

/** `lamb kb tune` */
export const tuneCollection: Command = {
  name: 'kb tune',
  summary: 'Find the weights of words and meaning that suit a collection and its embedding model',
  usage: '<collection> --judged <folder> [--apply]',
  words: [1, 1],
  options: { judged: { type: 'string', multiple: true }, apply: { type: 'boolean' } },
  help: [
    '--judged <folder>   questions with the documents that answer them: queries.jsonl ({"id", "text"}) and qrels.tsv',
    '                    (query, document, grade); a document is named by its file name, with or without its ending.',
    '                    Or the two files themselves, each after a --judged',
    '--apply             let the collection use what was found',
  ],
  async run(context) {
    const { server, words, options, json, stdout, stderr } = context;
    const { judged: paths } = options;
    if (!Array.isArray(paths))
      throw new CliError('Say where the judged questions are: --judged <folder>.', { exitCode: 2 });
    const queries = await readJudgedQueries(paths.map(String));
    const collection = await findCollection(server, words[0] ?? '');
    const path = `/lamb/v1/collections/${String(collection.id)}`;
    const progress = createProgress(stderr);
    try {
      const searches = await forEachQuery(queries, 'searching', progress, async ({ text, judgements }) => ({
        judgements,
        lexical: await search(server, path, judgements, { query: text, mode: 'lexical' }),
        dense: await search(server, path, judgements, { query: text, mode: 'vector' }),
      }));
      requireJudged(searches);
      const { ranking } = tuneRanking(searches);
      const measure = (weights: Ranking) => measureOnServer(server, path, queries, weights, progress);
      const report = {
        queries: queries.length,
        lexical: average(searches, ({ lexical }) => lexical),
        vector: average(searches, ({ dense }) => dense),
        current: { ranking: collection.ranking, ...(await measure(collection.ranking)) },
        best: { ranking, ...(await measure(ranking)) },
        applied: options['apply'] === true,
      };
      if (report.applied) await server.call(CollectionResource, 'PATCH', path, { ranking });
      progress.end();
      stdout.write(json ? `${JSON.stringify(report)}\n` : describe(report));
    } finally {
      progress.end();
    }
  },
};

type Report = Record<'lexical' | 'vector', RankingQuality> &
  Record<'current' | 'best', RankingQuality & { ranking: Ranking }> & { queries: number; applied: boolean };

function describe({ queries, lexical, vector, current, best, applied }: Report): string {
  const row = (name: string, { ndcg, recall }: RankingQuality) => [name, ndcg.toFixed(4), recall.toFixed(4)];
  const weigh = ({ lexical_weight, dense_weight, rank_constant }: Ranking) =>
    `${String(lexical_weight)} : ${String(dense_weight)}, constant ${String(rank_constant)}`;
  const table = formatTable([
    ['ranking', 'nDCG@10', 'recall@10'],
    row('words alone', lexical),
    row('meaning alone', vector),
    row(`now (${weigh(current.ranking)})`, current),
    row(`best (${weigh(best.ranking)})`, best),
  ]);
  const next = applied
    ? 'The collection uses the best from now on.'
    : 'Add --apply to let the collection use the best.';
  return `${table}${String(queries)} questions. ${next}\n`;
}

function average(
  searches: readonly JudgedSearch[],
  choose: (search: JudgedSearch) => readonly Found[],
): RankingQuality {
  return averageQuality(searches.map((search) => measureRanking(listDocuments(choose(search)), search.judgements)));
}

/** As the server itself ranks with these weights, not as we think it does. */
async function measureOnServer(
  server: CommandContext['server'],
  path: string,
  queries: readonly JudgedQuery[],
  ranking: Ranking,
  progress: Progress,
): Promise<RankingQuality> {
  const qualities = await forEachQuery(queries, 'measuring', progress, async ({ text, judgements }) => {
    const found = await search(server, path, judgements, { query: text, mode: 'hybrid', ranking });
    return measureRanking(listDocuments(found), judgements);
  });
  return averageQuality(qualities);
}

async function search(
  server: CommandContext['server'],
  path: string,
  judgements: ReadonlyMap<string, number>,
  body: { query: string; mode: 'hybrid' | 'lexical' | 'vector'; ranking?: Ranking },
): Promise<Found[]> {
  const reply = await server.call(CollectionQueryReply, 'POST', `${path}/query`, { ...body, top_k: DEPTH });
  return reply.hits.map(({ chunk_id: chunk, document_id, filename, title }) => {
    const names = [filename, filename.replace(/\.[^.]*$/, ''), document_id, title ?? ''];
    return { chunk, document: names.find((name) => judgements.has(name)) ?? filename };
  });
}

function listDocuments(found: readonly Found[]): string[] {
  return [...new Set(found.map(({ document }) => document))];
}

/** Weights that were found by chance would look like weights that are good. */
function requireJudged(searches: readonly JudgedSearch[]): void {
  const known = searches.some(({ lexical, dense, judgements }) =>
    [...lexical, ...dense].some(({ document }) => judgements.has(document)),
  );
  if (known) return;
  throw new CliError(
    'Nothing that was found has a judgement. The second column of qrels.tsv must be the file names of the collection’s documents, with or without their endings.',
  );
}

async function forEachQuery<Result>(
  queries: readonly JudgedQuery[],
  doing: string,
  progress: Progress,
  work: (query: JudgedQuery) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let done = 0;
  const left = [...queries.entries()];
  const take = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, query] = next;
      results[index] = await work(query);
      progress.show(++done, queries.length, doing);
    }
  };
  await Promise.all(Array.from({ length: QUERIES_AT_ONCE }, take));
  return results;
}
