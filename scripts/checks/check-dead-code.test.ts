import { findEach, plant } from './find-each.ts';

const processors = {
  name: '@lamb/prompt-processors',
  type: 'module',
  exports: { './*': './*/*.ts' },
  dependencies: { zod: '*' },
};
const plants = [
  plant('files', 'packages/engine/src/forgotten.ts', `import './index.ts';`, 'forgotten.ts'),
  plant(
    'exports',
    'plugins/connectors/wire/read-lines.ts',
    `export const readLines = (text: string): string[] => text.split('\\n');\nexport const unasked = 1;`,
    'unasked',
  ),
  plant('exports', 'plugins/tools/left-over/left-over.ts', `export const leftOver = 1;`, 'leftOver'),
  plant(
    'types',
    'apps/server/src/config.ts',
    `export type Unasked = string;\nexport const readConfig = (variables: NodeJS.ProcessEnv): string => variables.LAMB_HOST ?? '';`,
    'Unasked',
  ),
  plant('dependencies', 'plugins/prompt-processors/package.json', JSON.stringify(processors), 'zod'),
  plant(
    'unlisted',
    'packages/testing/src/index.ts',
    `import * as pg from 'pg';\n\nexport const port = Object.keys(pg).length;`,
    'pg',
  ),
];

findEach('check:dead-code', ['--reporter', 'json'], plants, (output) => {
  const { issues } = JSON.parse(output) as { issues: ({ file: string } & Record<string, { name: string }[]>)[] };
  return issues.flatMap(({ file, ...kinds }) =>
    Object.entries(kinds).flatMap(([rule, found]) => found.map(({ name }) => ({ file, rule, message: name }))),
  );
});
