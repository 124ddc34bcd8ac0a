import { readdir, readFile } from 'node:fs/promises';

/** The processes that this one has started and not seen ending. */
export async function listChildren(): Promise<number[]> {
  const threads = await readdir('/proc/self/task');
  const lists = await Promise.all(threads.map((thread) => readFile(`/proc/self/task/${thread}/children`, 'utf8')));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}
