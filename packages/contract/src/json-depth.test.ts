import { expect, test } from 'vitest';
import { isTooDeep, MAX_JSON_DEPTH } from './json-depth.ts';

const nest = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

test('counts the levels of arrays and objects', () => {
  expect(isTooDeep(nest(MAX_JSON_DEPTH, '[', ']'))).toBe(false);
  expect(isTooDeep(nest(MAX_JSON_DEPTH + 1, '[', ']'))).toBe(true);
  expect(isTooDeep(nest(MAX_JSON_DEPTH, '{"a":', '}'))).toBe(false);
  expect(isTooDeep(nest(MAX_JSON_DEPTH + 1, '{"a":', '}'))).toBe(true);
  expect(isTooDeep('['.repeat(100_000))).toBe(true);
});

test('width is not depth', () => {
  expect(isTooDeep(`[${'[],{},'.repeat(10_000)}1]`)).toBe(false);
});

test('brackets in text do not count, however the text is quoted', () => {
  const brackets = '['.repeat(200);
  expect(isTooDeep(JSON.stringify({ a: brackets }))).toBe(false);
  expect(isTooDeep(JSON.stringify([`\\"${brackets}`, `\\`, brackets]))).toBe(false);
  expect(isTooDeep(`{"a":"\\\\","b":${nest(200, '[', ']')}}`)).toBe(true);
});

test('text that never ends is left to the parser', () => {
  expect(isTooDeep('{"a":"[[[[')).toBe(false);
});
