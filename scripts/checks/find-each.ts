import { beforeAll, expect, test } from 'vitest';
import { plantTree, type PlantedTree } from './plant-tree.ts';

/** Each run starts a compiler, on a machine that may be busy with other tests. */
export const PATIENCE_MS = 120_000;

export interface Plant {
  readonly file: string;
  readonly code: string;
  /** The rules that must object to it, and no others. */
  readonly rules: readonly string[];
  /** A part of what the person is told. */
  readonly says: string;
}

export interface Finding {
  readonly file: string;
  readonly rule: string;
  readonly message: string;
}

export function plant(rules: string | readonly string[], file: string, code: string, says: string): Plant {
  return { file, code: `${code}\n`, rules: [rules].flat(), says };
}

/** A file that no rule may object to. */
export function allowed(file: string, code: string): Plant {
  return plant([], file, code, '');
}

/**
 * Makes the tests of one check, which runs once over all plants: each violation is found, by the rules that are meant
 * and with what they have to say; nothing else is found.
 */
export function findEach(
  check: string,
  options: readonly string[],
  plants: readonly Plant[],
  read: (output: string, tree: PlantedTree) => readonly Finding[],
): void {
  let findings: readonly Finding[] = [];
  beforeAll(async () => {
    await using tree = await plantTree(Object.fromEntries(plants.map(({ file, code }) => [file, code])));
    const { passed, output } = await tree.run(check, ...options);
    expect(passed, output).toBe(false);
    findings = read(output, tree);
  }, PATIENCE_MS);

  const named = plants.map((each) => ({ ...each, name: each.rules.join(' and ') || 'nothing' }));
  test.each(named)('$name is found in $file', ({ file, rules, says }) => {
    const here = findings.filter((finding) => finding.file === file);
    expect([...new Set(here.map(({ rule }) => rule))].sort()).toEqual([...rules].sort());
    expect(here.map(({ message }) => message).join('\n')).toContain(says);
  });

  test('what is not planted is not found', () => {
    const planted = new Set(plants.map(({ file }) => file));
    expect(findings.filter(({ file }) => !planted.has(file))).toEqual([]);
  });
}
