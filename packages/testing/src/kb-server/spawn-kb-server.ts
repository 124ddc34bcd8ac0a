import { spawnServer, type SpawnedServer } from '../http/spawn-server.ts';

/**
 * The knowledge-base server in its own process, controlled over HTTP (`POST /__fail`, `GET /__requests`, `POST /__reset`).
 * Arguments: `--port --token --older` (hits are called `documents`).
 */
export async function spawnKbServer(args: string[] = []): Promise<SpawnedServer> {
  return await spawnServer(new URL('./main.ts', import.meta.url), args);
}
