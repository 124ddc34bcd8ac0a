import { findEach, plant } from './find-each.ts';

const plants = [
  plant('TS2322', 'packages/engine/src/wrong.ts', `export const count: number = 'three';`, 'not assignable'),
  plant(
    'TS2532',
    'packages/engine/src/unchecked.ts',
    `export const first = (all: string[]) => all[0].length;`,
    'undefined',
  ),
  plant(
    'TS2375',
    'packages/engine/src/optional.ts',
    `export const none: { a?: string } = { a: undefined };`,
    'exactOptionalPropertyTypes',
  ),
  plant('TS1294', 'packages/engine/src/erased.ts', `export enum Mode {\n  fast,\n}`, 'erasableSyntaxOnly'),
  plant('TS6133', 'packages/engine/src/unused.ts', `const unused = 1;\nexport {};`, 'never read'),
];

findEach('check:types', [], plants, (output) =>
  [...output.matchAll(/^(.+?)\(\d+,\d+\): error (TS\d+): (.*(?:\n .*)*)/gm)].map(
    ([, file = '', rule = '', message = '']) => ({ file, rule, message }),
  ),
);
