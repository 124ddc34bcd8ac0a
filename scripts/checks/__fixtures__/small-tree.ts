/** A tree with every kind of room, in which all checks pass. */
export const smallTree: Readonly<Record<string, string>> = {
  'packages/contract/src/index.ts': `import { z } from 'zod';

export const Name = z.string();
`,
  'packages/plugin-kit/src/index.ts': `import { Name } from '@lamb/contract';

export function defineTool(name: string): string {
  return Name.parse(name);
}
`,
  'packages/plugin-kit/src/conformance/index.ts': `import { test } from 'vitest';
import { defineTool } from '../index.ts';

export function describeTool(name: string): void {
  test(defineTool(name), () => undefined);
}
`,
  'packages/engine/src/index.ts': `import { defineTool } from '@lamb/plugin-kit';

export const runTurn = (name: string): string => defineTool(name);
`,
  'packages/runs/src/index.ts': `import { runTurn } from '@lamb/engine';

export const startRun = (name: string): string => runTurn(name);
`,
  'packages/store/src/index.ts': `import { Name } from '@lamb/contract';
import { sql } from 'kysely';

export const selectName = (name: string) => sql\`select \${Name.parse(name)}\`;
`,
  'packages/knowledge/src/index.ts': `import { selectName } from '@lamb/store';

export const findName = (name: string) => selectName(name);
`,
  'packages/testing/src/index.ts': `export const port = 0;
`,
  'packages/testing/src/postgres/global-setup.ts': `import { port } from '../index.ts';

export default function setup(): void {
  process.env.LAMB_TEST_CLUSTER_URL = String(port);
}
`,
  'packages/testing/src/vitest/fail-on-console.ts': `import { afterEach } from 'vitest';

afterEach(() => undefined);
`,
  'plugins/connectors/wire/read-lines.ts': `export const readLines = (text: string): string[] => text.split('\\n');
`,
  'plugins/connectors/openai/openai.ts': `import { request } from 'undici';
import { readLines } from '../wire/read-lines.ts';

export const openai = async (url: string) => readLines(await (await request(url)).body.text());
`,
  'plugins/tools/echo/echo.ts': `import { defineTool } from '@lamb/plugin-kit';

export const echo = defineTool('echo');
`,
  'plugins/tools/echo/echo.test.ts': `import { describeTool } from '@lamb/plugin-kit/conformance';
import { echo } from './echo.ts';

describeTool(echo);
`,
  'plugins/prompt-processors/plain/plain.ts': `export const plain = (text: string): string => text;
`,
  'apps/server/src/config.ts': `export const readConfig = (variables: NodeJS.ProcessEnv): string => variables.LAMB_HOST ?? process.env.HOST ?? '';
`,
  'apps/server/src/app.ts': `import { openai } from '@lamb/connectors/openai';
import { runTurn } from '@lamb/engine';
import { plain } from '@lamb/prompt-processors/plain';
import { startRun } from '@lamb/runs';
import { selectName } from '@lamb/store';
import { echo } from '@lamb/tools/echo';

export const createApp = (host: string) => [openai, runTurn, startRun, plain, selectName(host), echo];
`,
  'apps/server/src/app.test.ts': `import { port } from '@lamb/testing';
import { expect, test } from 'vitest';
import { createApp } from './app.ts';

test('the app has its parts', async () => {
  const late = await new Promise((resolve) => setTimeout(() => resolve('late'), 1));
  expect(createApp(String(late))).toHaveLength(6 + port);
});
`,
  'apps/server/src/main.ts': `import { createApp } from './app.ts';
import { readConfig } from './config.ts';

console.log(createApp(readConfig(process.env)).length);
`,
  'bench/src/main.ts': `import { port } from '@lamb/testing';
import { createApp } from '../../apps/server/src/app.ts';

console.log(createApp('bench').length, port);
`,
  'bench/src/runs/bare-runs.ts': `import { port } from '@lamb/testing';

export const barePort = port;
`,
  'chaos/src/main.ts': `import { port } from '@lamb/testing';

console.log(port);
`,
  'chaos/src/server.ts': `import { createApp } from '../../apps/server/src/app.ts';

export const served = createApp('chaos');
`,
  'chaos/src/model.ts': `import { port } from '@lamb/testing';

export const modelPort = port;
`,
  'scripts/demo.ts': `import { port } from '@lamb/testing';

console.log(port);
`,
  'docs/examples/shout/shout.ts': `import { z } from 'zod';

export const shout = (text: unknown): string => z.string().parse(text).toUpperCase();
`,
  'docs/examples/shout/shout.test.ts': `import { expect, test } from 'vitest';
import { shout } from './shout.ts';

test('shouts', () => {
  expect(shout('a')).toBe('A');
});
`,
};
