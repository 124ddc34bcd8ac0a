import { spawnServer, type SpawnedServer } from '../http/spawn-server.ts';

/**
 * The scripted LLM server in its own process, controlled over HTTP (`POST /__script`, `GET /__requests`, `POST /__reset`).
 * Arguments: `--port --key --models a,b --tokens --interval-ms --first-delay-ms`.
 */
export async function spawnLlmServer(args: string[] = []): Promise<SpawnedServer> {
  return await spawnServer(new URL('./main.ts', import.meta.url), args);
}
