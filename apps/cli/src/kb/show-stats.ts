import { DocumentPage, type CollectionResource, type DocumentResource } from '@lamb/contract';
import type { Command, CommandContext } from '../command.ts';
import { formatBytes } from '../terminal/format-bytes.ts';
import { formatTable } from '../terminal/format-table.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { findCollection } from './find-collection.ts';

/** `lamb kb stats` */
export const showStats: Command = {
  name: 'kb stats',
  summary: 'Show what is in a collection and how far its documents are',
  usage: '<collection>',
  words: [1, 1],
  options: {},
  help: [],
  async run({ server, words, json, stdout }) {
    const collection = await findCollection(server, words[0] ?? '');
    const states: Record<string, number> = {};
    const unfinished: DocumentResource[] = [];
    for await (const document of eachDocument(server, collection.id)) {
      states[document.status] = (states[document.status] ?? 0) + 1;
      if (document.status !== 'ready') unfinished.push(document);
    }
    if (json) {
      stdout.write(`${JSON.stringify({ collection, states, unfinished })}\n`);
      return;
    }
    stdout.write(formatTable(describe(collection, states)));
    for (const { filename, status, progress, problem } of unfinished) {
      stdout.write(`  ${stripControls(filename)}: ${stripControls(problem ?? progress?.text ?? status)}\n`);
    }
  },
};

function describe(collection: CollectionResource, states: Record<string, number>): string[][] {
  const { embedding, chunking, ranking } = collection;
  const documents = Object.entries(states).map(([state, count]) => `${String(count)} ${state}`);
  return [
    ['collection', `${String(collection.id)} ${stripControls(collection.name)}`],
    ['owner', collection.owner],
    ['documents', documents.length === 0 ? 'none' : documents.join(', ')],
    ['passages', String(collection.chunks)],
    ['size', formatBytes(collection.bytes)],
    ['language', collection.language],
    ['embedding', `${embedding.provider} ${embedding.model}, ${String(embedding.dimensions)} dimensions`],
    ['chunking', `${String(chunking.max_tokens)} tokens, ${String(chunking.overlap_tokens)} of them shared`],
    [
      'ranking',
      `words ${String(ranking.lexical_weight)} : meaning ${String(ranking.dense_weight)}, constant ${String(ranking.rank_constant)}`,
    ],
    ['search', `${collection.search}${collection.reindexing ? ', being indexed anew' : ''}`],
    ...collection.warnings.map(({ message }) => ['note', message]),
  ];
}

async function* eachDocument(server: CommandContext['server'], collection: number): AsyncGenerator<DocumentResource> {
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '100', ...(cursor === null ? {} : { cursor }) });
    const path = `/lamb/v1/collections/${String(collection)}/documents?${query.toString()}`;
    const page: DocumentPage = await server.call(DocumentPage, 'GET', path);
    yield* page.items;
    cursor = page.next_cursor;
  } while (cursor !== null);
}
