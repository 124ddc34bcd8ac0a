import { spawnServer, type SpawnedServer } from '../http/spawn-server.ts';

/**
 * The weather server in its own process, controlled over HTTP (`POST /__places` with a list, `POST /__fail`,
 * `GET /__requests`, `POST /__reset`). Arguments: `--port`.
 */
export async function spawnWeatherServer(args: string[] = []): Promise<SpawnedServer> {
  return await spawnServer(new URL('./main.ts', import.meta.url), args);
}
