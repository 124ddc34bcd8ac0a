import { relative } from 'node:path';
import { allowed, findEach, plant } from './find-each.ts';

const engine = (name: string) => `packages/engine/src/${name}.ts`;
const ts = (name: string) => `@typescript-eslint/${name}`;
const plants = [
  plant(
    ts('no-floating-promises'),
    engine('floating'),
    `export const go = () => {\n  Promise.resolve();\n};`,
    'Promises must be awaited',
  ),
  plant(
    [ts('no-misused-promises'), ts('no-unnecessary-condition')],
    engine('misused'),
    `export const go = async (work: () => Promise<boolean>) => {\n  await Promise.resolve();\n  return work() ? 1 : 2;\n};`,
    'Promise',
  ),
  plant(
    ts('switch-exhaustiveness-check'),
    engine('inexhaustive'),
    `export function go(mode: 'a' | 'b'): number {\n  switch (mode) {\n    case 'a':\n      return 1;\n  }\n  return 2;\n}`,
    'Cases not matched: "b"',
  ),
  plant(
    ts('consistent-type-imports'),
    engine('type-import'),
    `import { runTurn } from './index.ts';\n\nexport type Run = typeof runTurn;`,
    'import type',
  ),
  plant(
    ts('no-explicit-any'),
    engine('any'),
    `export const go = (value: any): unknown => value as unknown;`,
    'Specify a different type',
  ),
  plant(
    ts('no-non-null-assertion'),
    engine('non-null'),
    `export const go = (value?: string): string => value!;`,
    'non-null',
  ),
  plant(
    ts('no-unsafe-assignment'),
    engine('unsafe'),
    `export const go = (text: string) => {\n  const value = JSON.parse(text);\n  return value as unknown;\n};`,
    'any',
  ),
  plant(
    ts('restrict-template-expressions'),
    engine('template'),
    `export const go = (value: boolean) => \`\${value}\`;`,
    'Invalid type',
  ),
  plant(
    ts('restrict-template-expressions'),
    engine('template-nothing'),
    `export const go = (value?: string) => \`\${value}\`;`,
    'undefined',
  ),
  plant(ts('no-deprecated'), engine('deprecated'), `export const go = () => escape('a');`, 'deprecated'),
  plant('eqeqeq', engine('equal'), `export const go = (value: string) => value == 'a';`, '==='),
  plant('no-console', engine('console'), `console.log('here');`, 'Unexpected console'),
  plant(
    'no-restricted-globals',
    'plugins/tools/web/web.ts',
    `export const web = () => fetch('https://example.org');`,
    'a tool asks its `host`',
  ),
  plant(
    'lamb/environment',
    engine('environment'),
    `export const host = process.env.LAMB_HOST;`,
    'config.ts reads the environment',
  ),
  plant(
    'lamb/environment',
    engine('environment-whole'),
    `export const { env } = process;`,
    'pass the value as an argument',
  ),
  plant(
    'lamb/environment',
    'apps/server/src/environment.ts',
    `import { env } from 'node:process';\n\nexport const host = env.LAMB_HOST;`,
    'config.ts reads the environment',
  ),
  plant(
    'lamb/file-name',
    'packages/engine/src/runTurn.ts',
    `export const a = 1;`,
    '`compilePlan` lives in `compile-plan.ts`',
  ),
  plant('lamb/file-name', engine('string-utils'), `export const a = 1;`, 'does not say what is inside'),
  plant('lamb/file-name', engine('types'), `export const a = 1;`, 'Name the file after its main export'),
  plant('lamb/file-name', 'packages/engine/src/common/turn.ts', `export const a = 1;`, '"common" does not say'),
  plant(
    'lamb/file-name',
    'apps/web/src/pageHeader.svelte',
    `<h1>A</h1>`,
    '`<PageHeader>` lives in `PageHeader.svelte`',
  ),
  allowed('apps/web/src/routes/(app)/rubrics/[id]/+page.svelte', `<h1>A</h1>`),
  plant(
    'svelte/no-at-html-tags',
    'apps/web/src/Answer.svelte',
    `<script lang="ts">\n  let { text }: { text: string } = $props();\n</script>\n\n{@html text}`,
    'XSS',
  ),
  plant(
    'no-restricted-properties',
    engine('wait.test'),
    `export const wait = (page: { waitForTimeout(ms: number): void }) => {\n  page.waitForTimeout(50);\n};`,
    'waits for what it needs',
  ),
  plant(
    'lamb/sleeping',
    engine('sleep.test'),
    `await new Promise((resolve) => setTimeout(resolve, 50));`,
    'A test that sleeps is slow',
  ),
  plant(
    'lamb/sleeping',
    engine('sleep-call.test'),
    `await new Promise<void>((resolve) => setTimeout(() => resolve(), 50));`,
    'vi.waitFor',
  ),
  plant(
    'lamb/sleeping',
    engine('sleep-import.test'),
    `import { setTimeout as wait } from 'node:timers/promises';\n\nawait wait(50);`,
    'A test that sleeps',
  ),
  plant(
    'lamb/own-mocks',
    engine('mock.test'),
    `import { vi } from 'vitest';\n\nvi.mock('./index.ts');`,
    'A mock of our own code',
  ),
  plant(
    'lamb/own-mocks',
    engine('mock-import.test'),
    `import { vi } from 'vitest';\n\nvi.mock(import('@lamb/plugin-kit'));`,
    'Use the real thing',
  ),
  plant(
    'unused-exception',
    engine('exception'),
    `// eslint-disable-next-line no-console -- not needed\nexport const a = 1;`,
    'Unused eslint-disable',
  ),
];

findEach('check:lint', ['--format', 'json'], plants, (output, tree) => {
  const results = JSON.parse(output) as {
    filePath: string;
    messages: { ruleId: string | null; message: string }[];
  }[];
  return results.flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, message }) => ({
      file: relative(tree.folder, filePath),
      rule: ruleId ?? 'unused-exception',
      message,
    })),
  );
});
