import {
  createCollection,
  createDocument,
  getCollection,
  getDocument,
  listChunks,
  withTenant,
  type Collection,
  type CollectionEmbedding,
  type Db,
  type StoredDocument,
} from '@lamb/store';
import { randomUUID } from 'node:crypto';
import { startIngestion } from '../start-ingestion.ts';

/** Collections of one person, as the tests make and read them. */
export interface Library {
  readonly organizationId: string;
  addCollection(embedding?: Partial<CollectionEmbedding>): Promise<Collection>;
  /** Adds a text and has it read in. */
  add(collectionId: number, filename: string, content: string | Uint8Array): Promise<StoredDocument>;
  read(documentId: string): Promise<StoredDocument | undefined>;
  readCollection(id: number): Promise<Collection | undefined>;
  /** The passages that are searched. */
  listTexts(documentId: string): Promise<string[]>;
}

/** The model of the scripted provider: requests have up to 16 passages. */
export const VECTORS: CollectionEmbedding = { provider: 'ollama', model: 'nomic-embed-text', dimensions: 16 };

export function createLibrary(db: Db, organizationId: string, ownerId: string): Library {
  return {
    organizationId,
    addCollection: (embedding = {}) =>
      withTenant(db, organizationId, (tx) =>
        createCollection(tx, { ownerId, name: randomUUID(), embedding: { ...VECTORS, ...embedding } }),
      ),
    add: (collectionId, filename, content) =>
      withTenant(db, organizationId, async (tx) => {
        const bytes = typeof content === 'string' ? Buffer.from(content) : content;
        const { document } = await createDocument(tx, { collectionId, filename, mediaType: '', content: bytes });
        await startIngestion(tx, document);
        return document;
      }),
    read: (documentId) => withTenant(db, organizationId, (tx) => getDocument(tx, documentId)),
    readCollection: (id) => withTenant(db, organizationId, (tx) => getCollection(tx, id)),
    async listTexts(documentId) {
      const texts: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await withTenant(db, organizationId, (tx) =>
          listChunks(tx, { documentId, limit: 100, ...(cursor === undefined ? {} : { cursor }) }),
        );
        texts.push(...page.items.map((chunk) => `${chunk.headingPath.join(' > ')}\n${chunk.content}`));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return texts;
    },
  };
}
