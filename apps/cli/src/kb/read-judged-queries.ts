import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CliError } from '../cli-error.ts';

/** A question, and how well each document answers it: 0, not at all. */
export interface JudgedQuery {
  readonly text: string;
  readonly judgements: ReadonlyMap<string, number>;
}

const Query = z.object({ id: z.coerce.string(), text: z.string().trim().min(1) });

/** Reads questions (`queries.jsonl`: `{"id","text"}`) and judgements (`qrels.tsv`: query, document, grade), from a folder or as two files. */
export async function readJudgedQueries(paths: readonly string[]): Promise<JudgedQuery[]> {
  const [queriesFile, judgementsFile] = await findFiles(paths);
  const queries = (await readLines(queriesFile)).map((line, index) => parseQuery(queriesFile, line, index));
  const judgements = new Map<string, Map<string, number>>();
  for (const [index, line] of (await readLines(judgementsFile)).entries()) {
    const [query = '', document = '', grade = ''] = line.split('\t');
    if (index === 0 && Number.isNaN(Number(grade))) continue;
    if (document === '' || !(Number(grade) >= 0)) {
      throw new CliError(
        `${judgementsFile}, line ${String(index + 1)}: expected query, document and grade, between tabs.`,
      );
    }
    judgements.set(query, (judgements.get(query) ?? new Map<string, number>()).set(document, Number(grade)));
  }
  const judged = queries.flatMap(({ id, text }) => {
    const found = judgements.get(id);
    return found && [...found.values()].some((grade) => grade > 0) ? [{ text, judgements: found }] : [];
  });
  if (judged.length === 0) throw new CliError('No question has a document that answers it. Do the ids agree?');
  return judged;
}

async function findFiles(paths: readonly string[]): Promise<readonly [queries: string, judgements: string]> {
  const [first = '', second] = paths;
  if (second === undefined) {
    const isFolder = await stat(first)
      .then((found) => found.isDirectory())
      .catch(() => false);
    if (isFolder) return [join(first, 'queries.jsonl'), join(first, 'qrels.tsv')];
  } else {
    const queries = paths.find((path) => path.endsWith('.jsonl'));
    const judgements = paths.find((path) => path.endsWith('.tsv'));
    if (queries !== undefined && judgements !== undefined) return [queries, judgements];
  }
  throw new CliError(
    '--judged is a folder with queries.jsonl and qrels.tsv, or those two files, each after a --judged.',
    {
      exitCode: 2,
    },
  );
}

async function readLines(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CliError(`${file} cannot be read.`, { cause });
  });
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

function parseQuery(file: string, line: string, index: number): z.infer<typeof Query> {
  try {
    return Query.parse(JSON.parse(line));
  } catch (cause) {
    throw new CliError(`${file}, line ${String(index + 1)}: expected {"id": …, "text": …}.`, { cause });
  }
}
