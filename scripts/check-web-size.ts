import { existsSync, readFileSync, statSync } from 'node:fs';

/** The most that a first visit to one of these pages may load, in compressed bytes of JavaScript. */
const LIMIT = 200_000;
const pages = [
  '(public)/sign-in',
  '(public)/sign-up',
  '(app)/assistants',
  '(app)/gallery',
  '(app)/knowledge-bases',
  '(app)/rubrics',
  '(app)/files',
];

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

const web = new URL('../apps/web/', import.meta.url);
const output = new URL('.svelte-kit/output/client/', web);
const manifestFile = new URL('.vite/manifest.json', output);
if (!existsSync(manifestFile)) {
  console.error('There is no build of the web app. Run `npm run web:build`.');
  process.exit(1);
}
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Record<string, Chunk>;
const generated = '.svelte-kit/generated/build/client-optimized/';
/** SvelteKit writes one module for each page and layout, which re-exports it. */
const nodes = Object.keys(manifest)
  .filter((key) => key.startsWith(`${generated}nodes/`))
  .map((key) => ({ key, text: readFileSync(new URL(key, web), 'utf8') }));
const entries = Object.keys(manifest).filter((key) => key.endsWith('client/entry.js') || key === `${generated}app.js`);

function findNode(route: string, kind: 'page' | 'layout'): string[] {
  const path = `src/routes/${route === '' ? '' : `${route}/`}+${kind}.svelte`;
  return nodes.filter(({ text }) => text.includes(`/${path}`)).map(({ key }) => key);
}

function listFiles(key: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  if (!chunk || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const next of chunk.imports ?? []) listFiles(next, seen);
  return seen;
}

/** As it is sent to a browser: the brotli form that the build has written. */
function measure(file: string): number {
  return statSync(new URL(`build/${file}.br`, web)).size;
}

let tooLarge = false;
for (const page of pages) {
  const folders = page.split('/').map((_, index, parts) => parts.slice(0, index).join('/'));
  const found = findNode(page, 'page');
  if (found.length === 0)
    throw new Error(`The build has no page ${page}; correct the list in scripts/check-web-size.ts.`);
  const keys = [
    ...entries,
    ...folders.flatMap((folder) => findNode(folder, 'layout')),
    ...findNode(page, 'layout'),
    ...found,
  ];
  const files = new Set(keys.flatMap((key) => [...listFiles(key)]));
  const bytes = [...files].filter((file) => file.endsWith('.js')).reduce((sum, file) => sum + measure(file), 0);
  const fits = bytes <= LIMIT;
  tooLarge ||= !fits;
  console.log(
    `${fits ? 'ok   ' : 'FAIL '} ${page.padEnd(24)} ${(bytes / 1000).toFixed(0).padStart(4)} kB in ${String(files.size)} files`,
  );
}
if (tooLarge) {
  console.error(
    `A first visit may load ${String(LIMIT / 1000)} kB. Load what is not needed at once with \`await import(…)\`.`,
  );
  process.exit(1);
}
