import { spawnServer, type SpawnedServer } from '../http/spawn-server.ts';

/** The effect ledger in its own process, so that it outlives what is killed (`GET /effects`, `POST /__fail`). Arguments: `--port`. */
export async function spawnEffectLedger(args: string[] = []): Promise<SpawnedServer> {
  return await spawnServer(new URL('./main.ts', import.meta.url), args);
}
