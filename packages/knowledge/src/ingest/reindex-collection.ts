import {
  createJob,
  discardDrafts,
  endJobs,
  endReindex,
  getCollection,
  getDocumentBlocks,
  holdJob,
  listUncutDocuments,
  listUnstartedDocuments,
  publishCollectionDrafts,
  putDrafts,
  reuseEmbeddings,
  tellNews,
  withTenant,
  type Collection,
  type CollectionIndexing,
  type Job,
  type StoredProblem,
  type TenantTx,
} from '@lamb/store';
import { z } from 'zod';
import type { Block } from '../extract/extracted-document.ts';
import { toCollectionTopic, whileHeld } from './change-document.ts';
import { describeIngestFailure } from './describe-ingest-failure.ts';
import { embedDrafts } from './embed-drafts.ts';
import type { IngestAttempt, IngestPorts } from './ingest-ports.ts';

/** What a job that reads a collection anew works on, and how. */
const ReindexInput = z.object({
  collectionId: z.number().int(),
  indexing: z.object({
    language: z.string(),
    embedding: z.object({ provider: z.string(), model: z.string(), dimensions: z.number().int() }),
    chunking: z.object({ maxTokens: z.number().int(), overlapTokens: z.number().int() }),
  }),
});

/** The news that concerns a whole collection. */
const ALL = 'all';

/** Cuts and embeds all documents of a collection anew, and then puts everything in place at once. Searches see the old state until then. */
export async function reindexCollection(attempt: IngestAttempt, ports: IngestPorts): Promise<void> {
  const { job } = attempt;
  const { collectionId, indexing } = ReindexInput.parse(job.input);
  try {
    for (;;) {
      const collection = await withTenant(ports.db, job.organizationId, (tx) => getCollection(tx, collectionId));
      if (!collection) break;
      await cutDocuments(attempt, ports, collection, indexing);
      const toEmbed = { draftId: job.id, embedding: indexing.embedding, userId: collection.ownerId };
      await embedDrafts(ports, attempt, toEmbed, () => Promise.resolve());
      if (await publish(attempt, ports, collectionId, indexing)) return;
    }
    await endReindexing(ports, job, undefined);
  } catch (error) {
    const problem = describeIngestFailure(error);
    if (problem === undefined) throw error;
    await endReindexing(ports, job, problem);
  }
}

/** Ends the reading anew; with a problem, everything stays as it was. */
export async function endReindexing(
  { db }: Pick<IngestPorts, 'db'>,
  job: Job,
  problem: StoredProblem | undefined,
): Promise<void> {
  const { collectionId } = ReindexInput.parse(job.input);
  await withTenant(db, job.organizationId, async (tx) => {
    await holdJob(tx, job);
    await discardDrafts(tx, { jobId: job.id });
    await leave(tx, job, collectionId, problem ?? null);
  });
}

async function cutDocuments(
  attempt: IngestAttempt,
  ports: IngestPorts,
  collection: Collection,
  indexing: CollectionIndexing,
): Promise<void> {
  const { job, signal, leaving } = attempt;
  const { id: collectionId, embedding: former } = collection;
  const { provider, model, dimensions } = indexing.embedding;
  const keepsModel = former.provider === provider && former.model === model && former.dimensions === dimensions;
  const uncut = await withTenant(ports.db, job.organizationId, (tx) =>
    listUncutDocuments(tx, { jobId: job.id, collectionId }),
  );
  for (const { id: documentId, size } of uncut) {
    await ports.withPlace(attempt, size, async () => {
      const read = await withTenant(ports.db, job.organizationId, (tx) => getDocumentBlocks(tx, documentId));
      // Deleted meanwhile.
      if (!read) return;
      const document = { title: null, pages: null, blocks: read.blocks as Block[] };
      const chunks = await ports.splitter.split(document, indexing.chunking, AbortSignal.any([signal, leaving]));
      await whileHeld(ports, attempt, async (tx) => {
        const draft = { jobId: job.id, documentId };
        if ((await putDrafts(tx, draft, chunks)) && keepsModel) await reuseEmbeddings(tx, draft);
      });
    });
  }
}

/** False when documents have come meanwhile. */
async function publish(
  attempt: IngestAttempt,
  ports: IngestPorts,
  collectionId: number,
  indexing: CollectionIndexing,
): Promise<boolean> {
  const { job } = attempt;
  return await whileHeld(ports, attempt, async (tx) => {
    const outcome = await publishCollectionDrafts(tx, { jobId: job.id, collectionId, indexing });
    if (outcome === 'incomplete') return false;
    await leave(tx, job, collectionId, null);
    return true;
  });
}

/** The last thing that a job does: from here on, documents are read in one by one again. */
async function leave(tx: TenantTx, job: Job, collectionId: number, problem: StoredProblem | null): Promise<void> {
  await endReindex(tx, collectionId, job.id, problem);
  for (const documentId of await listUnstartedDocuments(tx, collectionId)) {
    await createJob(tx, { kind: 'ingest', input: { documentId } });
  }
  await endJobs(tx, [job.id]);
  await tellNews(tx, toCollectionTopic(collectionId), ALL);
}
