import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../cli-error.ts';

/** Whether it is a page of the web. */
export function isAddress(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

/** The files and addresses meant by these words; a folder means the files in it and below, without hidden ones. */
export async function listSources(words: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(words.map(async (word) => (isAddress(word) ? [word] : await listFiles(word))));
  const sources = lists.flat();
  if (sources.length === 0) throw new CliError('There are no files in there.');
  return sources;
}

async function listFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new CliError(`There is no file “${path}”, or you may not read it.`, { cause });
  });
  if (found.isFile()) return [path];
  if (!found.isDirectory()) throw new CliError(`“${path}” is neither a file nor a folder.`);
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (file) =>
        !file
          .slice(path.length)
          .split('/')
          .some((step) => step.startsWith('.')),
    )
    .toSorted();
}
