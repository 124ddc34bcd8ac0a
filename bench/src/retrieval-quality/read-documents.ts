import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Document = z.object({ id: z.string(), title: z.string(), text: z.string() });
export type JudgedDocument = z.infer<typeof Document>;

/** The documents of a test collection of information retrieval: `docs.jsonl` of a folder. */
export async function readDocuments(folder: string): Promise<JudgedDocument[]> {
  const lines = (await readFile(join(folder, 'docs.jsonl'), 'utf8')).split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => Document.parse(JSON.parse(line)));
}
