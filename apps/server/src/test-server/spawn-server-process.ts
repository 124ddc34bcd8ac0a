import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** How long it took from the start of the process until it was ready to answer. */
  readonly readyAfterMs: number;
  /** Resolves when the process has ended, by itself or not. */
  readonly ended: Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface SpawnOptions {
  /** Default: the product's own. */
  readonly entry?: URL;
  /** Where its output goes, a file descriptor. Default: where this process's goes. */
  readonly output?: number;
}

const READY_WITHIN_MS = 60_000;

/** Runs the real server as its own process and waits until it is ready. */
export async function spawnServerProcess(
  environment: Readonly<Record<string, string>>,
  { entry = new URL('../main.ts', import.meta.url), output }: SpawnOptions = {},
): Promise<ServerProcess> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const started = performance.now();
  const child = spawn(process.execPath, [entry.pathname], {
    env: {
      PATH: process.env['PATH'] ?? '',
      LAMB_LOG_LEVEL: 'error',
      ...environment,
      LAMB_PORT: String(port),
      LAMB_PUBLIC_URL: url,
    },
    stdio: ['ignore', output ?? 'inherit', output ?? 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').then(() => {
    process.off('exit', kill);
  });
  while (!(await isReady(url))) {
    const status = child.exitCode ?? child.signalCode;
    if (status !== null) throw new Error(`The server ended with ${String(status)}.`);
    if (performance.now() - started > READY_WITHIN_MS) {
      kill();
      throw new Error('The server did not become ready.');
    }
    await wait(10);
  }
  return {
    url,
    pid: child.pid ?? 0,
    readyAfterMs: Math.round(performance.now() - started),
    ended,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`)).ok;
  } catch {
    return false;
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
