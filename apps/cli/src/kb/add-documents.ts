import { DocumentAdded, DocumentResource, DocumentsAdded, isDocumentSettled } from '@lamb/contract';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CliError } from '../cli-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { createProgress, type Progress } from '../terminal/create-progress.ts';
import { findCollection } from './find-collection.ts';
import { isAddress, listSources } from './list-sources.ts';

const POLL_MS = 300;
const UPLOADS_AT_ONCE = 3;

/** `lamb kb add` */
export const addDocuments: Command = {
  name: 'kb add',
  summary: 'Add files, folders or pages of the web, and wait until they can be searched',
  usage: '<collection> <file, folder or address…> [--no-wait]',
  words: [2, Infinity],
  options: { 'no-wait': { type: 'boolean' } },
  help: ['--no-wait           do not wait until they can be searched; `lamb kb stats` shows how far they are'],
  async run(context) {
    const { server, words, options, json, stdout, stderr } = context;
    const { id } = await findCollection(server, words[0] ?? '');
    const sources = await listSources(words.slice(1));
    const progress = createProgress(stderr);
    try {
      const added = await upload(context, `/lamb/v1/collections/${String(id)}/documents`, sources, progress);
      const documents = options['no-wait'] === true ? added : await waitFor(context, added, progress);
      if (json) stdout.write(`${JSON.stringify(documents)}\n`);
      const failed = documents.filter(
        ({ document }) => document.status === 'failed' || document.status === 'cancelled',
      );
      if (failed.length > 0) {
        throw new CliError(`${String(failed.length)} of ${String(documents.length)} could not be added.`);
      }
    } finally {
      progress.end();
    }
  },
};

async function upload(
  { server }: CommandContext,
  path: string,
  sources: readonly string[],
  progress: Progress,
): Promise<DocumentAdded[]> {
  const added: DocumentAdded[] = [];
  const left = [...sources];
  const work = async () => {
    for (let source = left.shift(); source !== undefined; source = left.shift()) {
      progress.show(added.length, sources.length, `sending ${basename(source)}`);
      try {
        const result = isAddress(source)
          ? await server.call(DocumentAdded, 'POST', `${path}/url`, { url: source })
          : await sendFile(server, path, source);
        added.push(result);
        if (result.duplicate) progress.say(`${source}: is there already, as ${result.document.filename}`);
      } catch (cause) {
        if (!(cause instanceof CliError)) throw cause;
        throw new CliError(`${source}: ${cause.message}`, { cause });
      }
    }
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, work));
  return added;
}

async function sendFile(server: CommandContext['server'], path: string, file: string): Promise<DocumentAdded> {
  const form = new FormData();
  form.append('file', await openAsBlob(file), basename(file));
  const { items } = await server.call(DocumentsAdded, 'POST', path, form);
  const [added] = items;
  if (!added) throw new CliError('The server did not say what became of it.');
  return added;
}

/** Follows the documents until each is ready, or is not going to be. */
async function waitFor(
  { server, signal }: CommandContext,
  added: readonly DocumentAdded[],
  progress: Progress,
): Promise<DocumentAdded[]> {
  const current = new Map(added.map((each) => [each.document.id, each]));
  const open = new Set(current.keys());
  const take = (each: DocumentAdded) => {
    current.set(each.document.id, each);
    if (!isDocumentSettled(each.document.status)) return;
    open.delete(each.document.id);
    if (!each.duplicate || each.document.status !== 'ready') progress.say(describe(each.document));
  };
  for (const each of added) take(each);
  while (open.size > 0) {
    await wait(POLL_MS, undefined, { signal });
    for (const id of open) {
      const each = current.get(id);
      if (!each) continue;
      const path = `/lamb/v1/collections/${String(each.document.collection_id)}/documents/${id}`;
      const document = await server.call(DocumentResource, 'GET', path);
      const doing = `${document.filename}: ${document.progress?.text ?? document.status}`;
      progress.show(current.size - open.size, current.size, doing);
      take({ ...each, document });
    }
  }
  return [...current.values()];
}

function describe({ filename, status, problem, pages, chunks }: DocumentResource): string {
  if (status === 'cancelled') return `${filename}: cancelled`;
  if (status === 'failed') return `${filename}: failed: ${problem ?? 'the server does not say why'}`;
  const size = [...(pages === null ? [] : [`${String(pages)} pages`]), `${String(chunks)} passages`];
  return `${filename}: ready, ${size.join(', ')}`;
}
