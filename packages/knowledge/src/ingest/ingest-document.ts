import {
  countDrafts,
  discardDrafts,
  endJobs,
  getDocument,
  getDocumentBlocks,
  hasDocumentText,
  holdJob,
  lockCollection,
  publishDocumentDrafts,
  putDocumentText,
  putDrafts,
  readDocumentContent,
  withTenant,
  type Collection,
  type Job,
  type StoredDocument,
  type StoredProblem,
} from '@lamb/store';
import { z } from 'zod';
import { joinBlocks } from '../chunk/join-blocks.ts';
import { extractDocument } from '../extract/extract-document.ts';
import type { Block } from '../extract/extracted-document.ts';
import { changeDocument, whileHeld } from './change-document.ts';
import { createProgress } from './create-progress.ts';
import { deriveDraftId } from './derive-draft-id.ts';
import { describeIngestFailure } from './describe-ingest-failure.ts';
import { embedDrafts } from './embed-drafts.ts';
import type { IngestAttempt, IngestPorts } from './ingest-ports.ts';

/** What a job that reads a document in works on. */
const IngestInput = z.object({ documentId: z.uuid() });

interface Work {
  readonly document: StoredDocument;
  readonly collection: Collection;
}

/**
 * Reads a document in: its text, its passages, their vectors, and all of it into the collection at once. What earlier
 * attempts have kept is not done again.
 */
export async function ingestDocument(attempt: IngestAttempt, ports: IngestPorts): Promise<void> {
  try {
    for (;;) {
      const work = await begin(attempt, ports);
      if (!work) return;
      await ports.withPlace(attempt, work.document.size, async () => {
        if (!(await hasText(attempt, ports, work))) await readText(attempt, ports, work);
        await cut(attempt, ports, work);
      });
      if (await index(attempt, ports, work)) return;
    }
  } catch (error) {
    const problem = describeIngestFailure(error);
    if (problem === undefined) throw error;
    await failDocument(ports, attempt.job, problem);
  }
}

/** Writes down why a document could not be read in. What was searched of it, if anything, still is. */
export async function failDocument({ db }: Pick<IngestPorts, 'db'>, job: Job, problem: StoredProblem): Promise<void> {
  const { documentId } = IngestInput.parse(job.input);
  await withTenant(db, job.organizationId, async (tx) => {
    await holdJob(tx, job);
    const document = await getDocument(tx, documentId);
    if (document && document.status !== 'cancelled') {
      await changeDocument(tx, document, { status: 'failed', progress: null, problem });
    }
    await endJobs(tx, [job.id]);
  });
}

/** Looks what there is to do; undefined when it is nothing, or not yet. */
async function begin(attempt: IngestAttempt, ports: IngestPorts): Promise<Work | undefined> {
  const { job } = attempt;
  const { documentId } = IngestInput.parse(job.input);
  return await whileHeld(ports, attempt, async (tx) => {
    const document = await getDocument(tx, documentId);
    if (document?.status === 'ready') {
      await endJobs(tx, [job.id]);
      return undefined;
    }
    const collection = document && (await lockCollection(tx, document.collectionId));
    // While all documents are read anew, new ones wait: whoever does that starts them at the end.
    if (!document || collection?.reindexJobId !== null) {
      if (document) await changeDocument(tx, document, { status: 'queued', progress: null });
      await endJobs(tx, [job.id]);
      return undefined;
    }
    return { document, collection };
  });
}

async function readText(attempt: IngestAttempt, ports: IngestPorts, { document }: Work): Promise<void> {
  const content = await whileHeld(ports, attempt, async (tx) => {
    const progress = { done: 0, total: 0, text: 'extracting' };
    await changeDocument(tx, document, { status: 'extracting', progress, problem: null });
    return await readDocumentContent(tx, document.id);
  });
  if (!content) return;
  const progress = createProgress(ports, attempt, document, { status: 'extracting', unit: 'pages' });
  const { filename, mediaType } = document;
  try {
    // Broken off when this process stops: whoever takes over reads it from the beginning anyway.
    const either = AbortSignal.any([attempt.signal, attempt.leaving]);
    const { extraction: limits } = ports;
    const extracted = await extractDocument(
      { content, filename, mediaType, limits, onProgress: progress.report },
      either,
    );
    await progress.stop();
    const { title, pages, blocks } = extracted;
    await whileHeld(ports, attempt, async (tx) => {
      await putDocumentText(tx, document.id, { text: joinBlocks(extracted), blocks });
      await changeDocument(tx, document, { title: title ?? document.title, pages });
    });
  } finally {
    await progress.stop();
  }
}

async function hasText({ job }: IngestAttempt, { db }: IngestPorts, { document }: Work): Promise<boolean> {
  return await withTenant(db, job.organizationId, (tx) => hasDocumentText(tx, document.id));
}

function nameDraft({ document, collection }: Work) {
  return { jobId: deriveDraftId(document.id, collection.indexVersion), documentId: document.id };
}

/** Makes passages of a text. */
async function cut(attempt: IngestAttempt, ports: IngestPorts, work: Work): Promise<void> {
  const { job, signal, leaving } = attempt;
  const { document, collection } = work;
  const draft = nameDraft(work);
  const read = await withTenant(ports.db, job.organizationId, async (tx) =>
    (await countDrafts(tx, draft)) ? undefined : await getDocumentBlocks(tx, document.id),
  );
  if (!read) return;
  const extracted = { title: document.title, pages: document.pages, blocks: read.blocks as Block[] };
  const chunks = await ports.splitter.split(extracted, collection.chunking, AbortSignal.any([signal, leaving]));
  await whileHeld(ports, attempt, (tx) => putDrafts(tx, draft, chunks));
}

/** Makes vectors of passages and puts both in place. False when the collection was indexed anew meanwhile. */
async function index(attempt: IngestAttempt, ports: IngestPorts, work: Work): Promise<boolean> {
  const { job } = attempt;
  const { document, collection } = work;
  const draft = nameDraft(work);
  const { embedding, ownerId: userId, id: collectionId, indexVersion } = collection;
  const toEmbed = { draftId: draft.jobId, documentId: document.id, embedding, userId };
  await embedDrafts(ports, attempt, toEmbed, async (tx, { chunks, embedded }) => {
    const progress = { done: embedded, total: chunks, text: `embedding ${String(embedded)}/${String(chunks)} chunks` };
    await changeDocument(tx, document, { status: 'embedding', progress, problem: null, jobId: draft.jobId });
  });
  return await whileHeld(ports, attempt, async (tx) => {
    const outcome = await publishDocumentDrafts(tx, { ...draft, collectionId, indexVersion });
    if (outcome === 'outdated') {
      await discardDrafts(tx, draft);
      return false;
    }
    if (outcome === 'incomplete') throw new Error(`Document ${document.id} has passages without vectors.`);
    await changeDocument(tx, document, {});
    await endJobs(tx, [job.id]);
    return true;
  });
}
