import { CollectionQueryReply, type CollectionHit } from '@lamb/contract';
import { z } from 'zod';
import type { Command } from '../command.ts';
import { readOption } from '../read-option.ts';
import { stripControls } from '../terminal/strip-controls.ts';
import { findCollection } from './find-collection.ts';

/** `lamb kb query` */
export const queryCollection: Command = {
  name: 'kb query',
  summary: 'Search a collection',
  usage: '<collection> <words…> [options]',
  words: [2, Infinity],
  options: { top: { type: 'string' }, threshold: { type: 'string' }, mode: { type: 'string' } },
  help: [
    '--top <n>           how many passages; 5 without it',
    '--threshold <0…1>   leave out what is less similar',
    '--mode <mode>       hybrid, lexical or vector',
  ],
  async run(context) {
    const { server, words, json, stdout } = context;
    const search = {
      query: words.slice(1).join(' '),
      top_k: readOption(context, 'top', z.coerce.number().int()),
      threshold: readOption(context, 'threshold', z.coerce.number()),
      mode: readOption(context, 'mode', z.enum(['hybrid', 'lexical', 'vector'])),
    };
    const { id } = await findCollection(server, words[0] ?? '');
    const reply = await server.call(CollectionQueryReply, 'POST', `/lamb/v1/collections/${String(id)}/query`, search);
    if (json) stdout.write(`${JSON.stringify(reply)}\n`);
    else if (reply.hits.length === 0) stdout.write('Nothing was found.\n');
    else stdout.write(reply.hits.map((hit, index) => describe(hit, index + 1)).join('\n'));
  },
};

function describe(hit: CollectionHit, number: number): string {
  const { filename, page_from: page, heading_path: headings, similarity, text, url } = hit;
  const where = [
    filename,
    ...(page === null ? [] : [`page ${String(page)}`]),
    ...(headings.length === 0 ? [] : [headings.join(' › ')]),
    ...(similarity === null ? [] : [`similarity ${similarity.toFixed(3)}`]),
  ].join(', ');
  const indented = text.trim().replaceAll('\n', '\n    ');
  return stripControls(`[${String(number)}] ${where}\n    ${indented}\n    ${url}\n`);
}
