import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { allowed, findEach, plant } from './find-each.ts';

const use = (from: string) => `import * as there from '${from}';\n\nexport { there };`;
const border = (room: string, name: string, from: string, says: string) =>
  plant(`border-of-${room.replace('/', '-')}`, `${room}/${name}.ts`, use(from), says);
const plants = [
  border('packages/contract', 'src/node', 'node:crypto', 'imports zod and nothing else'),
  border('packages/contract', 'src/upward', '@lamb/plugin-kit', 'imports zod and nothing else'),
  border('packages/plugin-kit', 'src/upward', '@lamb/engine', 'it imports contract and zod only'),
  border('packages/plugin-kit', 'src/tests', 'vitest', 'Only src/conformance may import vitest'),
  border('packages/engine', 'src/http', 'node:http', 'knows no HTTP, no SQL and no files'),
  border('packages/engine', 'src/client', 'undici', 'declare what the engine needs as a port'),
  border('packages/engine', 'src/sql', 'kysely', 'knows no HTTP, no SQL'),
  border('packages/engine', 'src/rows', '@lamb/store', 'Nothing calls upward'),
  border('packages/engine', 'src/plugin', '@lamb/tools/echo', 'it imports contract and plugin-kit only'),
  border('packages/runs', 'src/plugin', '@lamb/tools/echo', 'comes in with `prepare`'),
  border('packages/knowledge', 'src/http', 'undici', 'come in as arguments'),
  border('packages/knowledge', 'src/upward', '@lamb/engine', 'reads, cuts and finds documents'),
  border('packages/store', 'src/upward', '@lamb/engine', 'it imports contract, kysely and pg only'),
  border('packages/store', 'src/http', 'fastify', 'keeps rows'),
  border('packages/testing', 'src/ours', '@lamb/contract', 'it imports no package of ours'),
  border('plugins/connectors', 'ollama/rows', '@lamb/store', 'engine, store and server are not its business'),
  border('plugins/tools', 'reader/files', 'node:fs/promises', 'only door to data is its `host`'),
  border('plugins/tools', 'reader/run', '@lamb/engine', 'if a door is missing, add it to ToolHost'),
  border('plugins/prompt-processors', 'asking/ask', 'node:http', 'shapes text from what it is given'),
  border('apps/cli', 'src/rows', '@lamb/store', 'works with a server elsewhere'),
  border('apps/web', 'src/rows', '@lamb/store', 'of our packages it imports contract'),
  plant(
    'border-of-packages-engine',
    'packages/engine/src/only-type.ts',
    `import type { selectName } from '@lamb/store';\n\nexport type Select = typeof selectName;`,
    'Nothing calls upward',
  ),
  plant(
    'border-of-packages-engine',
    'packages/engine/src/lazy.ts',
    `export const load = () => import('@lamb/store');`,
    'Nothing calls upward',
  ),
  ...[
    'apps/cli/src',
    'apps/web/src',
    'packages/contract/src',
    'packages/engine/src',
    'packages/knowledge/src',
    'packages/plugin-kit/src',
    'packages/runs/src',
    'packages/store/src',
    'packages/testing/src',
    'plugins/connectors/openai',
    'plugins/prompt-processors/plain',
    'plugins/tools/echo',
  ].map((folder) => {
    const room = folder.replace(/\/[^/]+$/, '');
    return plant(
      `border-of-${room.replace('/', '-')}-tests`,
      `${folder}/server.test.ts`,
      use('@lamb/server'),
      'A test keeps its room’s borders',
    );
  }),
  plant(
    ['border-of-apps-server-tests', 'through-the-front-door'],
    'apps/server/src/page.test.ts',
    use('../../web/src/page.ts'),
    'A test keeps its room’s borders',
  ),
  plant(
    ['border-of-apps-server', 'through-the-front-door'],
    'apps/server/src/page.ts',
    use('../../web/src/page.ts'),
    'no other app',
  ),
  plant('libraries-of-plugins-connectors', 'plugins/connectors/ollama/sql.ts', use('pg'), 'provider’s libraries'),
  plant('libraries-of-plugins-tools', 'plugins/tools/reader/client.ts', use('undici'), 'Use host.fetch'),
  plant(
    'libraries-of-plugins-prompt-processors',
    'plugins/prompt-processors/asking/client.ts',
    use('undici'),
    'libraries that only compute',
  ),
  plant(
    'conformance-imports',
    'packages/plugin-kit/src/conformance/servers.ts',
    use('@lamb/testing'),
    'besides vitest',
  ),
  plant(
    'plugins-stand-alone',
    'plugins/tools/reader/reader.ts',
    use('../echo/echo.ts'),
    'plugins never import each other',
  ),
  plant(
    'plugins-stand-alone',
    'plugins/connectors/ollama/borrow.ts',
    use('../openai/openai.ts'),
    'plugins never import each other',
  ),
  plant(
    ['plugins-stand-alone', 'border-of-plugins-prompt-processors'],
    'plugins/prompt-processors/asking/tool.ts',
    use('@lamb/tools/echo'),
    'belongs to packages/plugin-kit',
  ),
  plant(
    ['connector-parts-stay-inside', 'border-of-plugins-tools', 'through-the-front-door'],
    'plugins/tools/reader/lines.ts',
    use('../../connectors/wire/read-lines.ts'),
    'parts of the connectors, not an interface',
  ),
  plant(
    'production-without-test-code',
    'apps/server/src/stand-in.ts',
    use('@lamb/testing'),
    'imports nothing that exists for tests',
  ),
  plant(
    'production-without-test-code',
    'plugins/tools/reader/suite.ts',
    use('@lamb/plugin-kit/conformance'),
    'imports nothing that exists for tests',
  ),
  plant(
    'through-the-front-door',
    'packages/engine/src/reach.ts',
    use('../../contract/src/index.ts'),
    'Import it by its name',
  ),
  plant(
    'through-the-front-door-from-outside',
    'scripts/reach.ts',
    use('../packages/contract/src/index.ts'),
    'export it on purpose',
  ),
  plant(
    'resolvable',
    'packages/engine/src/past.ts',
    use('@lamb/contract/src/index.ts'),
    'past what the package’s package.json exports',
  ),
  plant(
    ['nothing-imports-scripts', 'border-of-apps-server'],
    'apps/server/src/script.ts',
    use('../../../scripts/demo.ts'),
    'never parts of it',
  ),
  plant(
    'room-without-border',
    'packages/novelty/src/index.ts',
    use('zod'),
    'add it there, with what it may import and why',
  ),
  plant(
    'no-cycles',
    'packages/engine/src/egg.ts',
    `import { hen } from './hen.ts';\n\nexport const egg = () => hen;`,
    'in a circle',
  ),
  allowed('packages/engine/src/hen.ts', `import { egg } from './egg.ts';\n\nexport const hen = () => egg;`),
  allowed('packages/engine/src/table.ts', `import type { Row } from './row.ts';\n\nexport type Table = Row[];`),
  allowed(
    'packages/engine/src/row.ts',
    `import type { Table } from './table.ts';\n\nexport interface Row {\n  of: Table;\n}`,
  ),
  allowed('apps/cli/src/command.ts', use('@lamb/contract')),
  allowed('apps/web/src/page.ts', use('@lamb/contract')),
  plant('no-orphans', 'packages/engine/src/lonely.ts', `export const lonely = 1;`, 'Delete it, or use it'),
];

findEach('check:borders', [], plants, (output) => {
  const [, ...violations] = output.split(/^ {2}error (?=[a-z-]+: )/m);
  return violations.map((text) => {
    const [, rule = '', file = ''] = /^([a-z-]+): (\S+)/.exec(text) ?? [];
    return { rule, file, message: text.replaceAll(/\s+/g, ' ') };
  });
});

test('each rule has a planted violation', () => {
  const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
    forbidden: { name: string }[];
  };
  expect([...new Set(plants.flatMap(({ rules }) => rules))].sort()).toEqual(forbidden.map(({ name }) => name).sort());
});
