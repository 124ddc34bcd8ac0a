import { randomUUID } from 'node:crypto';
import { createSplitter, indexText, type Block } from '@lamb/knowledge';
import {
  createCollection,
  createDocument,
  openDatabase,
  publishCollectionDrafts,
  putDraftEmbeddings,
  putDrafts,
  updateDocument,
  withTenant,
} from '@lamb/store';
import { embedText } from '@lamb/testing';
import type { JudgedDocument } from './read-documents.ts';

const DIMENSIONS = 512;

/** Makes a collection of the documents: cut by the same code as uploads are, embedded as the scripted model does, published all at once. */
export async function addJudgedDocuments(
  appUrl: string,
  { organizationId, ownerId }: { organizationId: string; ownerId: string },
  documents: readonly JudgedDocument[],
): Promise<{ collectionId: number; chunks: number }> {
  const db = openDatabase(appUrl, { statementTimeoutMs: 600_000 });
  const splitter = createSplitter();
  const { signal } = new AbortController();
  try {
    const collection = await withTenant(db, organizationId, (tx) =>
      createCollection(tx, {
        ownerId,
        name: 'Judged documents',
        language: 'english',
        embedding: { provider: 'openai', model: 'text-embedding-3-small', dimensions: DIMENSIONS },
      }),
    );
    const jobId = randomUUID();
    let chunks = 0;
    for (let start = 0; start < documents.length; start += 200) {
      await withTenant(db, organizationId, async (tx) => {
        for (const { id, title, text } of documents.slice(start, start + 200)) {
          const { document } = await createDocument(tx, {
            collectionId: collection.id,
            filename: id,
            mediaType: 'text/markdown',
            // With its number: some documents have the same text.
            content: Buffer.from(`${id}\n# ${title}\n\n${text}`),
          });
          const blocks: Block[] = [
            { kind: 'heading', level: 1, text: title },
            { kind: 'paragraph', text },
          ];
          const parts = await splitter.split({ title, pages: null, blocks }, collection.chunking, signal);
          chunks += parts.length;
          await putDrafts(tx, { jobId, documentId: document.id }, parts);
          await putDraftEmbeddings(
            tx,
            jobId,
            parts.map((part) => ({
              documentId: document.id,
              ordinal: part.ordinal,
              embedding: embedText(indexText(part), DIMENSIONS),
            })),
          );
          await updateDocument(tx, document.id, { status: 'ready' });
        }
      });
    }
    const outcome = await withTenant(db, organizationId, (tx) =>
      publishCollectionDrafts(tx, { jobId, collectionId: collection.id, indexing: collection }),
    );
    if (outcome !== 'published') throw new Error(`The documents were not published: ${outcome}.`);
    return { collectionId: collection.id, chunks };
  } finally {
    splitter.close();
    await db.destroy();
  }
}
