import { CollectionPage, CollectionResource } from '@lamb/contract';
import { CliError } from '../cli-error.ts';
import type { ServerClient } from '../create-server-client.ts';

/** The collection with this number, or the only one with this name. */
export async function findCollection(server: ServerClient, numberOrName: string): Promise<CollectionResource> {
  if (/^\d{1,9}$/.test(numberOrName)) {
    return await server.call(CollectionResource, 'GET', `/lamb/v1/collections/${numberOrName}`);
  }
  const query = new URLSearchParams({ search: numberOrName, limit: '100' });
  const { items } = await server.call(CollectionPage, 'GET', `/lamb/v1/collections?${query.toString()}`);
  const [found, another] = items.filter(({ name }) => name === numberOrName);
  if (!found) throw new CliError(`There is no collection “${numberOrName}”. \`lamb kb list\` shows what there is.`);
  if (another)
    throw new CliError(`Several collections are called “${numberOrName}”. Give its number: \`lamb kb list\`.`);
  return found;
}
