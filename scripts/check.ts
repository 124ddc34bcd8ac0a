import { spawn } from 'node:child_process';
import { once } from 'node:events';

// Each is a script `check:<name>` of package.json; the hint is shown when it fails.
const checks = {
  format: 'Run `npm run format`.',
  types: 'The types do not fit (TypeScript 7, `tsconfig.json`).',
  lint: 'Some of it `npx eslint --fix .` can mend; the rules and their reasons are in `eslint.config.js`.',
  borders: 'Who may import whom, and why, is the table in `.dependency-cruiser.cjs`.',
  web: 'The types and templates of apps/web do not fit (svelte-check); apps/web/README.md says how they belong together.',
  'dead-code':
    'Delete what nothing uses; list in its own package.json what a package imports. Entry points are in `knip.config.ts`.',
};

/** Runs every check at the same time, so that one run shows all that is wrong. */
const results = await Promise.all(Object.entries(checks).map(([name, hint]) => runCheck(name, hint)));
process.exitCode = results.every(Boolean) ? 0 : 1;

async function runCheck(name: string, hint: string): Promise<boolean> {
  const started = performance.now();
  const child = spawn(process.execPath, ['--run', `check:${name}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (code === 0) {
    console.log(`ok    ${name} (${seconds} s)`);
    return true;
  }
  console.log(`FAIL  ${name} (${seconds} s)\n${Buffer.concat(output).toString().trim()}\n→ ${hint}\n`);
  return false;
}
