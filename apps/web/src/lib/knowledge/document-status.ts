import type { DocumentResource } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';

type Status = DocumentResource['status'];

/** Whether a document is still on its way into the collection. */
export function isUnderWay(status: Status): boolean {
  return status === 'queued' || status === 'extracting' || status === 'embedding';
}

export const statusTones = {
  queued: 'neutral',
  extracting: 'brand',
  embedding: 'brand',
  ready: 'ok',
  failed: 'danger',
  cancelled: 'neutral',
} as const satisfies Record<Status, string>;

export function nameStatus(status: Status): string {
  const names: Record<Status, () => string> = {
    queued: m.knowledge_status_queued,
    extracting: m.knowledge_status_extracting,
    embedding: m.knowledge_status_embedding,
    ready: m.knowledge_status_ready,
    failed: m.knowledge_status_failed,
    cancelled: m.knowledge_status_cancelled,
  };
  return names[status]();
}

/** How far a document is: “Reading page 3 of 12”. */
export function describeProgress({ status, progress }: Pick<DocumentResource, 'status' | 'progress'>): string {
  if (!progress || progress.total === 0) return nameStatus(status);
  const { done, total } = progress;
  if (status === 'extracting') return m.knowledge_progress_pages({ done, total });
  if (status === 'embedding') return m.knowledge_progress_passages({ done, total });
  return nameStatus(status);
}
