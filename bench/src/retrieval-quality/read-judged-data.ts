import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** A test collection of information retrieval: documents, queries, and which document answers which query. */
export interface JudgedData {
  documents: { id: string; title: string; text: string }[];
  queries: { query: string; relevance: Map<string, number> }[];
}

const Document = z.object({ id: z.string(), title: z.string(), text: z.string() });
const Query = z.object({ id: z.string(), text: z.string() });

/** Reads `docs.jsonl`, `queries.jsonl` and `qrels.tsv` of a folder. */
export async function readJudgedData(folder: string): Promise<JudgedData> {
  const read = async (name: string): Promise<string[]> =>
    (await readFile(join(folder, name), 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const documents = (await read('docs.jsonl')).map((line) => Document.parse(JSON.parse(line)));
  const queries = (await read('queries.jsonl')).map((line) => Query.parse(JSON.parse(line)));
  const judged = new Map<string, Map<string, number>>();
  for (const line of (await read('qrels.tsv')).slice(1)) {
    const [query = '', document = '', score = '0'] = line.split('\t');
    const relevance = judged.get(query) ?? new Map<string, number>();
    relevance.set(document, Number(score));
    judged.set(query, relevance);
  }
  return {
    documents,
    queries: queries.flatMap(({ id, text }) => {
      const relevance = judged.get(id);
      return relevance === undefined ? [] : [{ query: text, relevance }];
    }),
  };
}
