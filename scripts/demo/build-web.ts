import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Builds the web app unless it is built already. */
export async function buildWeb(folder: string, say: (text: string) => void): Promise<void> {
  if (existsSync(join(folder, '200.html'))) return;
  say('Building the web app, once; this takes a minute …');
  const child = spawn('npm', ['run', '--silent', 'web:build'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error('The web app could not be built. `npm run web:build` shows why.');
}
