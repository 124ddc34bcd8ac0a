import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface SpawnedServer {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Runs a file that prints `listening on <url>` as its own process; it ends with this one at the latest. */
export async function spawnServer(file: URL, args: string[] = []): Promise<SpawnedServer> {
  const child = spawn(process.execPath, [file.pathname, ...args], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const stdout = child.stdout;
  if (stdout === null || child.pid === undefined) throw new Error(`${file.pathname} could not be started.`);
  const pid = child.pid;
  const line = await Promise.race([
    once(createInterface(stdout), 'line').then(([text]) => String(text)),
    exited.then(([code]) => `exit status ${String(code)}`),
  ]);
  const url = /^listening on (http:\S+)$/.exec(line)?.[1];
  if (url === undefined) {
    child.kill();
    throw new Error(`${file.pathname} did not say where it listens, but: ${line}`);
  }
  child.unref();
  child.channel?.unref();
  return {
    url,
    pid,
    async stop() {
      child.ref();
      child.kill('SIGTERM');
      await exited;
    },
  };
}
