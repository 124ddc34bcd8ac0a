import { AppError } from '@lamb/contract';
import { listCollections, listDocuments, type Collection, type StoredDocument, type TenantTx } from '@lamb/store';

/** The older interface gives whole lists: of more than this, it says that they are to be read page by page elsewhere. */
const MOST = 20_000;
const PAGE = 100;

/** All collections that somebody may search. */
export async function listEveryCollection(tx: TenantTx, viewerId: string, most = MOST): Promise<Collection[]> {
  return await collect(most, (cursor) => listCollections(tx, { viewerId, scope: 'visible', limit: PAGE, cursor }));
}

/** All documents of a collection, the newest first. */
export async function listEveryDocument(tx: TenantTx, collectionId: number, most = MOST): Promise<StoredDocument[]> {
  return await collect(most, (cursor) => listDocuments(tx, { collectionId, limit: PAGE, cursor }));
}

async function collect<Item>(
  most: number,
  read: (cursor: string | undefined) => Promise<{ items: Item[]; nextCursor: string | null }>,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof read>> = await read(cursor ?? undefined);
    all.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null && all.length <= most);
  if (all.length <= most) return all;
  // A list that ends early looks like one that is complete.
  throw new AppError('invalid_request', {
    message: `There are more than ${String(most)} entries, which is too many for one list. Read them page by page, under \`/lamb/v1/collections\`.`,
  });
}
