import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const SOURCES = ['apps/web/src', 'apps/web/messages', 'apps/web/static', 'packages/contract/src'];

/** Builds the web app unless it is built already, from what is here now. */
export async function buildWeb(folder: string, say: (text: string) => void): Promise<void> {
  const built = await stat(join(folder, '200.html')).catch(() => undefined);
  if (built && built.mtimeMs > (await findNewest(SOURCES))) return;
  say('Building the web app; this takes a minute …');
  const child = spawn('npm', ['run', '--silent', 'web:build'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error('The web app could not be built. `npm run web:build` shows why.');
}

/** When the last of the files was changed. What is generated from them is no change. */
async function findNewest(folders: readonly string[]): Promise<number> {
  let newest = 0;
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || /paraglide|schema\.d\.ts/.test(path)) continue;
      newest = Math.max(newest, (await stat(path)).mtimeMs);
    }
  }
  return newest;
}
