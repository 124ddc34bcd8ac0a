import { listCollections, listDocuments, type Collection, type StoredDocument, type TenantTx } from '@lamb/store';

/** The older interface gives whole lists; longer ones than this are cut. */
const MOST = 2000;
const PAGE = 100;

/** All collections that somebody may search. */
export async function listEveryCollection(tx: TenantTx, viewerId: string): Promise<Collection[]> {
  return await collect((cursor) => listCollections(tx, { viewerId, scope: 'visible', limit: PAGE, cursor }));
}

/** All documents of a collection, the newest first. */
export async function listEveryDocument(tx: TenantTx, collectionId: number): Promise<StoredDocument[]> {
  return await collect((cursor) => listDocuments(tx, { collectionId, limit: PAGE, cursor }));
}

async function collect<Item>(
  read: (cursor: string | undefined) => Promise<{ items: Item[]; nextCursor: string | null }>,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof read>> = await read(cursor ?? undefined);
    all.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null && all.length < MOST);
  return all;
}
