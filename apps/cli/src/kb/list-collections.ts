import { CollectionPage, type CollectionResource } from '@lamb/contract';
import type { Command } from '../command.ts';
import { formatTable } from '../terminal/format-table.ts';
import { stripControls } from '../terminal/strip-controls.ts';

/** `lamb kb list` */
export const listCollections: Command = {
  name: 'kb list',
  summary: 'List the collections you can search',
  usage: '[options]',
  words: [0, 0],
  options: { mine: { type: 'boolean' } },
  help: ['--mine              only your own'],
  async run({ server, options, json, stdout }) {
    const collections: CollectionResource[] = [];
    const scope = options['mine'] === true ? 'mine' : 'visible';
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ limit: '100', scope, ...(cursor === null ? {} : { cursor }) });
      const page: CollectionPage = await server.call(CollectionPage, 'GET', `/lamb/v1/collections?${query.toString()}`);
      collections.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    if (json) {
      stdout.write(`${JSON.stringify(collections)}\n`);
      return;
    }
    const rows = collections.map(({ id, name, owner, documents, chunks }) => [
      id,
      stripControls(name),
      owner,
      documents,
      chunks,
    ]);
    stdout.write(formatTable([['id', 'name', 'owner', 'documents', 'passages'], ...rows]));
  },
};
