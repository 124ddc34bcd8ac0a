import { setTimeout as wait } from 'node:timers/promises';
import { spawnServerProcess, type ServerProcess } from '../../../apps/server/src/test-server/spawn-server-process.ts';

/** A server that is started again whenever it has died. */
export interface KeptServer {
  /** Undefined while it is down. */
  readonly url: string | undefined;
  /** How often it has died. */
  readonly deaths: number;
  /** Kills it in mid-sentence; does nothing while it is down. */
  kill(): boolean;
  /** Lets it finish and leave; gives the milliseconds that it took. */
  stop(): Promise<number>;
}

/** Starts a server and keeps it up. */
export async function keepServer(environment: Record<string, string>, output: number): Promise<KeptServer> {
  const entry = new URL('../server.ts', import.meta.url);
  const state: { current: ServerProcess | undefined; deaths: number; isWanted: boolean } = {
    current: undefined,
    deaths: 0,
    isWanted: true,
  };
  const start = async (): Promise<void> => {
    while (state.isWanted && !state.current) {
      try {
        state.current = await spawnServerProcess(environment, { entry, output });
      } catch {
        // It cannot start while the database is down, and may be killed before it is ready.
        await wait(200);
      }
    }
    if (!state.current) return;
    void state.current.ended.then(() => {
      state.current = undefined;
      if (!state.isWanted) return;
      state.deaths += 1;
      void start();
    });
  };
  await start();
  return {
    get url() {
      return state.current?.url;
    },
    get deaths() {
      return state.deaths;
    },
    kill() {
      if (!state.current) return false;
      process.kill(state.current.pid, 'SIGKILL');
      return true;
    },
    async stop() {
      state.isWanted = false;
      const started = performance.now();
      await state.current?.stop('SIGTERM');
      return Math.round(performance.now() - started);
    },
  };
}
