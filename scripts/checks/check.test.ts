import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { PATIENCE_MS } from './find-each.ts';
import { plantTree } from './plant-tree.ts';

test(
  'one failing check fails `npm run check`, which runs all of them and says what to do',
  { timeout: PATIENCE_MS },
  async () => {
    await using tree = await plantTree({
      'packages/contract/src/index.ts': `import {z} from "zod";\nexport const Name = z.string();\n`,
      'packages/contract/src/__fixtures__/recording.json': `{"left": "as recorded"   }\n`,
    });
    const { passed, output } = await tree.run('check');
    const { scripts } = JSON.parse(await readFile(`${tree.folder}/package.json`, 'utf8')) as { scripts: object };
    const names = Object.keys(scripts).filter((name) => name.startsWith('check:'));
    expect(passed).toBe(false);
    expect(output.match(/^(ok|FAIL) +[a-z-]+/gm)?.sort()).toEqual(
      names.map((name) => name.replace('check:', name === 'check:format' ? 'FAIL  ' : 'ok    ')).sort(),
    );
    expect(output.match(/^\[warn\] .+\.\w+$/gm)).toEqual(['[warn] packages/contract/src/index.ts']);
    expect(output).toContain('→ Run `npm run format`.');
  },
);
