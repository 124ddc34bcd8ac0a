import { spawnServer, type SpawnedServer } from '../http/spawn-server.ts';

/**
 * The Moodle server in its own process, controlled over HTTP (`POST /__users` with a list, `POST /__fail`,
 * `GET /__requests`, `POST /__reset`). Arguments: `--port --token`.
 */
export async function spawnMoodleServer(args: string[] = []): Promise<SpawnedServer> {
  return await spawnServer(new URL('./main.ts', import.meta.url), args);
}
