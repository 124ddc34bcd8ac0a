import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const fence = /^```ts file=(\S+)\n([\s\S]*?)^```$/gm;

test.each(['docs/tools.md'])('%s shows its examples as they are compiled and run', async (document) => {
  const text = await readFile(document, 'utf8');
  const files = [...text.matchAll(fence)].map(([, path]) => path ?? '');
  expect(files.length).toBeGreaterThan(0);
  const sources = new Map(await Promise.all(files.map(async (path) => [path, await readFile(path, 'utf8')] as const)));
  const current = text.replaceAll(
    fence,
    (_whole, path: string) => `\`\`\`ts file=${path}\n${sources.get(path) ?? ''}\`\`\``,
  );
  // `vitest run -u` brings the document up to date, as it does with snapshots.
  if (process.argv.includes('-u')) await writeFile(document, current);
  else expect(text).toBe(current);
});
