import { randomUUID } from 'node:crypto';
import {
  createCollection,
  createDocument,
  listWaitingDrafts,
  migrate,
  openDatabase,
  publishDocumentDrafts,
  putDraftEmbeddings,
  putDrafts,
  withTenant,
  type Collection,
  type Db,
  type NewChunk,
  type NewCollection,
  type TenantTx,
} from '@lamb/store';
import { createTemplateDatabase, createTestDatabase, embedText, type TestDatabase } from '@lamb/testing';

const DIMENSIONS = 64;

/** A passage as a test writes it. */
export type Passage = string | { text: string; headings?: string[] };

export interface Knowledge {
  db: Db;
  database: TestDatabase;
  addOrganization(): Promise<Organization>;
  close(): Promise<void>;
}

/** An organisation with two people and their collections. */
export interface Organization {
  id: string;
  teacherId: string;
  colleagueId: string;
  run<Result>(work: (tx: TenantTx) => Promise<Result>): Promise<Result>;
  addCollection(input?: Partial<NewCollection>): Promise<Collection>;
  /** Adds a document whose passages are given, as ingestion would. */
  addDocument(collection: Collection, passages: readonly Passage[]): Promise<string>;
}

/** A migrated database of its own for one test file. */
export async function openKnowledge(): Promise<Knowledge> {
  const template = await createTemplateDatabase('knowledge', async (ownerUrl) => {
    await migrate(ownerUrl);
  });
  const database = await createTestDatabase({ template });
  const db = openDatabase(database.appUrl, { maxConnections: 4 });
  return {
    db,
    database,
    async addOrganization() {
      const id = await addOrganizationRow(db);
      const run: Organization['run'] = (work) => withTenant(db, id, work);
      const teacherId = await addUser(db, id);
      return {
        id,
        teacherId,
        colleagueId: await addUser(db, id),
        run,
        addCollection: (input = {}) =>
          run((tx) =>
            createCollection(tx, {
              ownerId: teacherId,
              name: randomUUID(),
              language: 'english',
              embedding: { provider: 'test', model: 'hashed', dimensions: DIMENSIONS },
              ...input,
            }),
          ),
        addDocument: (collection, passages) => run((tx) => addDocument(tx, collection, passages)),
      };
    },
    async close() {
      await db.destroy();
      await database.drop();
    },
  };
}

async function addDocument(tx: TenantTx, collection: Collection, passages: readonly Passage[]): Promise<string> {
  const text = JSON.stringify(passages);
  const { document } = await createDocument(tx, {
    collectionId: collection.id,
    filename: `${randomUUID()}.txt`,
    mediaType: 'text/plain',
    content: Buffer.from(text + randomUUID()),
  });
  const key = { jobId: randomUUID(), documentId: document.id };
  await putDrafts(tx, key, passages.map(toChunk));
  await embedDrafts(tx, key, collection.embedding.dimensions);
  const outcome = await publishDocumentDrafts(tx, {
    ...key,
    collectionId: collection.id,
    indexVersion: collection.indexVersion,
  });
  if (outcome !== 'published') throw new Error(`The document was not published: ${outcome}.`);
  return document.id;
}

export function toChunk(passage: Passage, index: number): NewChunk {
  const { text, headings = [] } = typeof passage === 'string' ? { text: passage } : passage;
  return {
    content: text,
    headingPath: headings,
    pageFrom: index + 1,
    pageTo: index + 1,
    tokens: text.split(/\s+/).length,
    start: index * 1000,
    end: index * 1000 + text.length,
  };
}

/** Fills in the vectors of a job's drafts. */
export async function embedDrafts(
  tx: TenantTx,
  key: { jobId: string; documentId?: string },
  dimensions: number,
): Promise<void> {
  const waiting = await listWaitingDrafts(tx, key, 100_000);
  await putDraftEmbeddings(
    tx,
    key.jobId,
    waiting.map(({ documentId, ordinal, content }) => ({
      documentId,
      ordinal,
      embedding: embedText(content, dimensions),
    })),
  );
}

async function addOrganizationRow(db: Db): Promise<string> {
  const slug = randomUUID();
  const { id } = await db
    .insertInto('auth.organization')
    .values({ name: slug, slug })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function addUser(db: Db, organizationId: string): Promise<string> {
  const name = randomUUID();
  const { id } = await db
    .insertInto('auth.user')
    .values({ email: `${name}@example.org`, name })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.insertInto('auth.member').values({ organizationId, userId: id, role: 'member' }).execute();
  return id;
}
