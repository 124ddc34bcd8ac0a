import type { StoredDocumentStatus } from '@lamb/store';
import { changeDocument, whileHeld, type DocumentRef } from './change-document.ts';
import type { IngestAttempt, IngestPorts } from './ingest-ports.ts';

/** Writes down how far the reading of a document is: at once when it is first told, then a few times a second at most. */
export interface Progress {
  /** Told as often as one likes. */
  report(done: number, total: number): void;
  /** Resolves when nothing more will be written. */
  stop(): Promise<void>;
}

const PAUSE_MS = 250;

/** Makes the progress of one step. What cannot be written is left: whoever does the step finds out why. */
export function createProgress(
  ports: IngestPorts,
  attempt: IngestAttempt,
  document: DocumentRef,
  { status, unit }: { readonly status: StoredDocumentStatus; readonly unit: string },
): Progress {
  let latest: { readonly done: number; readonly total: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pause = 0;
  let writing = Promise.resolve();

  const write = async (): Promise<void> => {
    timer = undefined;
    if (!latest) return;
    const { done, total } = latest;
    latest = undefined;
    const progress = { done, total, text: `${status} ${String(done)}/${String(total)} ${unit}` };
    await whileHeld(ports, attempt, (tx) => changeDocument(tx, document, { status, progress })).catch(() => undefined);
  };
  return {
    report(done, total) {
      latest = { done, total };
      timer ??= setTimeout(() => {
        writing = writing.then(write);
      }, pause);
      pause = PAUSE_MS;
    },
    async stop() {
      clearTimeout(timer);
      latest = undefined;
      await writing;
    },
  };
}
