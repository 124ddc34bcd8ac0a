import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { smallTree } from './__fixtures__/small-tree.ts';

const repository = join(import.meta.dirname, '../..');
const configuration = [
  '.dependency-cruiser.cjs',
  '.prettierignore',
  '.prettierrc.json',
  'eslint.config.js',
  'knip.config.ts',
  'scripts/check.ts',
  'scripts/checks/lint-rules',
  'tsconfig.json',
  'vitest.config.ts',
];
const scripts = [
  'bench',
  'chaos',
  'check',
  'check:borders',
  'check:dead-code',
  'check:format',
  'check:lint',
  'check:types',
  'demo',
  'test',
];
const tools = [
  '@types/node',
  '@typescript/native',
  'dependency-cruiser',
  'eslint',
  'eslint-plugin-svelte',
  'knip',
  'prettier',
  'prettier-plugin-svelte',
  'prettier-plugin-tailwindcss',
  'typescript',
  'typescript-eslint',
  'vitest',
];
/** What the rooms of the small tree import. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  'apps/server': [
    '@lamb/connectors',
    '@lamb/engine',
    '@lamb/prompt-processors',
    '@lamb/runs',
    '@lamb/store',
    '@lamb/testing',
    '@lamb/tools',
  ],
  'packages/contract': ['zod'],
  'packages/engine': ['@lamb/plugin-kit'],
  'packages/plugin-kit': ['@lamb/contract'],
  'packages/runs': ['@lamb/engine'],
  'packages/store': ['@lamb/contract', 'kysely'],
  'packages/testing': [],
  'plugins/connectors': ['undici'],
  'plugins/prompt-processors': [],
  'plugins/tools': ['@lamb/plugin-kit'],
  bench: ['@lamb/testing'],
  chaos: ['@lamb/testing'],
};

export interface PlantedTree extends AsyncDisposable {
  readonly folder: string;
  /** Runs a script of package.json in the tree. */
  run(script: string, ...args: readonly string[]): Promise<{ readonly passed: boolean; readonly output: string }>;
}

/** A small tree of its own outside the repository, checked by the repository's own scripts and configuration. */
export async function plantTree(files: Readonly<Record<string, string>> = {}): Promise<PlantedTree> {
  const folder = await mkdtemp(join(tmpdir(), 'lamb-checks-'));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await linkLibraries(folder);
  for (const path of configuration) await cp(join(repository, path), join(folder, path), { recursive: true });
  const root = await readManifest('.');
  await write(
    'package.json',
    toJson({
      ...root,
      scripts: {
        ...pick(root.scripts, scripts),
        // The configuration names rooms and files that the tree does not have.
        'check:dead-code': `${root.scripts['check:dead-code'] ?? ''} --no-config-hints`,
        // There is no web app whose types could be written and checked.
        'web:sync': 'true',
        'check:web': 'true',
      },
      devDependencies: pick(root.devDependencies, tools),
    }),
  );
  for (const [room, libraries] of Object.entries(rooms)) {
    const { name, type, exports } = await readManifest(room);
    const dependencies = Object.fromEntries(libraries.map((library) => [library, '*']));
    await write(`${room}/package.json`, toJson({ name, type, exports, dependencies }));
  }
  for (const [path, text] of Object.entries({ ...smallTree, ...files })) await write(path, text);
  return {
    folder,
    run: (script, ...args) => runScript(folder, script, args),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

interface Manifest {
  readonly name: string;
  readonly type: string;
  readonly exports?: unknown;
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

async function readManifest(room: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(repository, room, 'package.json'), 'utf8')) as Manifest;
}

/** The repository's libraries, except that the packages of ours are those of the tree. */
async function linkLibraries(folder: string): Promise<void> {
  const from = join(repository, 'node_modules');
  const to = join(folder, 'node_modules');
  await mkdir(to);
  for (const name of await readdir(from)) if (name !== '@lamb') await symlink(join(from, name), join(to, name));
  await cp(join(from, '@lamb'), join(to, '@lamb'), { recursive: true, verbatimSymlinks: true });
}

function pick(values: Readonly<Record<string, string>>, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)));
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function runScript(cwd: string, script: string, args: readonly string[]): ReturnType<PlantedTree['run']> {
  const { FORCE_COLOR: _, NODE_OPTIONS: __, ...environment } = process.env;
  return new Promise((resolve) => {
    const options = { cwd, env: { ...environment, NO_COLOR: '1' }, maxBuffer: 16 << 20 };
    execFile(process.execPath, ['--run', script, '--', ...args], options, (error, stdout, stderr) => {
      resolve({ passed: !error, output: stdout + stderr });
    });
  });
}
