import { readFile } from 'node:fs/promises';

const interval = 50;

/** Calls `onExceeded` once a process keeps more than this in memory; the returned function ends the watch. */
export function watchMemory(pid: number, megabytes: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    void readFile(`/proc/${pid}/status`, 'utf8').then(
      (status) => {
        const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
        if (kilobytes > megabytes * 1024) onExceeded();
      },
      // It has ended, or this is not Linux and only the limit of the heap holds.
      () => undefined,
    );
  }, interval);
  timer.unref();
  return () => clearInterval(timer);
}
