import type { KbAnswer, KbRequest } from './kb-exchange.ts';
import type { KbCollection, KbFile, KbStore } from './create-kb-store.ts';

/** The jobs of a collection, or of all: `[]`, `[job]` or `[job, 'retry' | 'cancel']`. Files are read at once, so every job is over. */
export function answerJobRequest(
  store: KbStore,
  { method, query }: Pick<KbRequest, 'method' | 'query'>,
  steps: string[],
  collection?: KbCollection,
): KbAnswer {
  const [rawId, action] = steps;
  const jobs = [...store.files.values()].filter(
    (file) => collection === undefined || file.collectionId === collection.id,
  );
  if (rawId === undefined) {
    const status = query.get('status');
    const wanted = jobs.filter((file) => status === null || file.status === status);
    return { status: 200, body: { total: wanted.length, items: wanted.map(describeJob) } };
  }
  const job = jobs.find(({ id }) => id === Number(rawId));
  if (job === undefined) return { status: 404, body: { detail: `Ingestion job ${rawId} not found` } };
  if (action === undefined && method === 'GET') return { status: 200, body: describeJob(job) };
  if (action === 'retry' && method === 'POST') {
    if (job.status === 'failed') return { status: 200, body: describeJob(job) };
    return { status: 400, body: { detail: `A job that is ${job.status} cannot be retried` } };
  }
  if (action === 'cancel' && method === 'POST') {
    return { status: 400, body: { detail: `A job that is ${job.status} cannot be cancelled` } };
  }
  return { status: 404, body: { detail: 'Not Found' } };
}

function describeJob(file: KbFile) {
  const percentage = file.status === 'completed' ? 100 : 0;
  return {
    id: file.id,
    collection_id: file.collectionId,
    original_filename: file.filename,
    status: file.status,
    progress: { current: percentage, total: 100, percentage, message: file.status },
    document_count: file.chunkCount,
    error_message: file.problem ?? null,
    created_at: file.createdAt,
    updated_at: file.createdAt,
  };
}
