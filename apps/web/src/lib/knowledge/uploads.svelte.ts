import { onDestroy } from 'svelte';
import { uploadForm } from '#lib/api/upload-form.ts';

/** A file on its way to the server. */
export interface Upload {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  state: 'waiting' | 'sending' | 'failed';
  /** Between 0 and 1. */
  share: number;
  error: unknown;
}

/** Sends files one by one, a few at a time, so that each has a progress and a failure of its own. */
export interface Uploads {
  readonly items: readonly Upload[];
  /** Whether something would be lost by leaving. */
  readonly isSending: boolean;
  add(files: readonly File[]): void;
  retry(upload: Upload): void;
  /** Stops it, or takes a failed one off the list. */
  drop(upload: Upload): void;
}

const AT_ONCE = 2;

/** Files for an address; `ondone` gets what the server answered to each. What is left ends with the component that makes it. */
export function createUploads(path: string, ondone: (reply: unknown, file: File) => void): Uploads {
  const items = $state<Upload[]>([]);
  const files = new Map<number, File>();
  const stops = new Map<number, AbortController>();
  let count = 0;

  function remove(id: number): void {
    const index = items.findIndex((item) => item.id === id);
    if (index >= 0) items.splice(index, 1);
    files.delete(id);
  }

  function sendNext(): void {
    while (items.filter(({ state }) => state === 'sending').length < AT_ONCE) {
      const next = items.find(({ state }) => state === 'waiting');
      if (!next) return;
      next.state = 'sending';
      void sendOne(next);
    }
  }

  async function sendOne(upload: Upload): Promise<void> {
    const file = files.get(upload.id);
    if (!file) return;
    const stop = new AbortController();
    stops.set(upload.id, stop);
    const form = new FormData();
    form.append('file', file);
    try {
      const reply = await uploadForm(path, form, {
        signal: stop.signal,
        onprogress: (share) => (upload.share = share),
      });
      remove(upload.id);
      ondone(reply, file);
    } catch (error) {
      if (stop.signal.aborted) remove(upload.id);
      else Object.assign(upload, { state: 'failed', error });
    } finally {
      stops.delete(upload.id);
      sendNext();
    }
  }

  onDestroy(() => {
    items.splice(0);
    for (const stop of stops.values()) stop.abort();
  });

  return {
    items,
    get isSending() {
      return items.some(({ state }) => state !== 'failed');
    },
    add(added) {
      for (const file of added) {
        const id = (count += 1);
        files.set(id, file);
        items.push({ id, name: file.name, size: file.size, state: 'waiting', share: 0, error: undefined });
      }
      sendNext();
    },
    retry(upload) {
      Object.assign(upload, { state: 'waiting', share: 0, error: undefined });
      sendNext();
    },
    drop(upload) {
      const stop = stops.get(upload.id);
      if (stop) stop.abort();
      else remove(upload.id);
    },
  };
}
