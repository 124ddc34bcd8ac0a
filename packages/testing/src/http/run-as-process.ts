import type { Listening } from './listen.ts';

/** For a server's `main.ts`: says where it listens, and ends on a signal or with the process that spawned it. */
export function runAsProcess(server: Listening): void {
  const end = (): void => {
    void server.stop().finally(() => process.exit(0));
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  process.once('disconnect', end);
  process.stdout.write(`listening on ${server.url}\n`);
}
