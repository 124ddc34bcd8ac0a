import { execFile, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from './find-free-port.ts';
import { findPostgresBin } from './find-postgres-bin.ts';

export interface ClusterOptions {
  /** Where the cluster lives; made when missing, used as it is when it already holds one. Default: a new temporary folder. */
  dataDir?: string;
  /** Default: a free one. */
  port?: number;
  /** Survive a crash of the machine. Off by default: a test database is thrown away. */
  fsync?: boolean;
  /** Leave the folder in place when the cluster stops. Default: only when `dataDir` was given. */
  keep?: boolean;
  /** Further server settings, e.g. `{ shared_buffers: '512MB' }`. */
  settings?: Record<string, string | number>;
}

export interface Cluster {
  /** The superuser's URL, database `postgres`, on 127.0.0.1. */
  adminUrl: string;
  port: number;
  dataDir: string;
  /** Ends the server; `fast` lets it write a clean shutdown, `immediate` is a crash. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

const run = promisify(execFile);

/** Starts a private PostgreSQL that ends with this process, however this process ends. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const bin = findPostgresBin();
  const account = findServerAccount();
  const dataDir = prepareFolder(options.dataDir, account);
  const keep = options.keep ?? options.dataDir !== undefined;
  const guard = startGuard(bin, dataDir, account, keep);
  try {
    await initialize(bin, dataDir, account);
    const port = await startOnPort(bin, dataDir, account, options);
    return {
      adminUrl: `postgres://postgres@127.0.0.1:${port}/postgres`,
      port,
      dataDir,
      stop: (mode = keep ? 'fast' : 'immediate') => guard.stop(mode),
    };
  } catch (error) {
    // There may be no server to stop; what counts is that the folder goes.
    await guard.stop('immediate').catch(() => undefined);
    throw error;
  }
}

interface Account {
  uid?: number;
  gid?: number;
}

/** PostgreSQL refuses to run as root, so root lends it the account that Debian's package made. */
function findServerAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  const readId = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }).trim());
  try {
    return { uid: readId('-u'), gid: readId('-g') };
  } catch (cause) {
    throw new Error('As root, a PostgreSQL cluster needs the account "postgres". Run scripts/install-postgres.', {
      cause,
    });
  }
}

function prepareFolder(wanted: string | undefined, account: Account): string {
  const folder = wanted ?? mkdtempSync(join(tmpdir(), 'lamb-pg-'));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid);
  return folder;
}

async function initialize(bin: string, dataDir: string, account: Account): Promise<void> {
  if (existsSync(join(dataDir, 'PG_VERSION'))) return;
  const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  await run(join(bin, 'initdb'), ['-D', dataDir, ...flags], { ...account, cwd: dataDir });
}

async function startOnPort(bin: string, dataDir: string, account: Account, options: ClusterOptions): Promise<number> {
  const attempts = options.port === undefined ? 5 : 1;
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await findFreePort());
    const log = join(dataDir, 'server.log');
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: dataDir,
      port,
      max_connections: 200,
      ...(options.fsync === true ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
      ...options.settings,
    };
    const flags = Object.entries(settings).map(([name, value]) => `-c "${name}=${value}"`);
    try {
      await run(join(bin, 'pg_ctl'), ['-D', dataDir, '-l', log, '-w', '-t', '60', '-o', flags.join(' '), 'start'], {
        ...account,
        cwd: dataDir,
      });
      return port;
    } catch (cause) {
      const output = existsSync(log) ? readFileSync(log, 'utf8').slice(-2000) : '';
      const portWasTaken = output.includes('could not bind');
      if (portWasTaken && attempt < attempts) continue;
      throw new Error(`PostgreSQL did not start on port ${port}. The end of its log:\n${output}`, { cause });
    }
  }
}

/**
 * A shell that waits on a pipe from this process. The pipe closes when this process ends, also by SIGKILL,
 * and then nobody else would be left to stop the server.
 */
function startGuard(bin: string, dataDir: string, account: Account, keep: boolean) {
  const script = `
    trap '' HUP INT TERM
    read -r mode || mode=${keep ? 'fast' : 'immediate'}
    "$1/pg_ctl" -D "$2" -m "$mode" -w -t 30 stop
    status=$?
    [ "$3" = keep ] || rm -rf "$2"
    exit $status`;
  const guard = spawn('/bin/sh', ['-c', script, 'lamb-pg-guard', bin, dataDir, keep ? 'keep' : 'remove'], {
    ...account,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<number | null>((resolve) => guard.once('exit', resolve));
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  return {
    async stop(mode: 'fast' | 'immediate'): Promise<void> {
      guard.ref();
      if (guard.stdin.writable) guard.stdin.end(`${mode}\n`);
      const code = await ended;
      if (code !== 0) throw new Error(`pg_ctl could not stop the cluster in ${dataDir} (status ${String(code)}).`);
    },
  };
}
