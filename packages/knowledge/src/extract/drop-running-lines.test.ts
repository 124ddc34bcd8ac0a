import type { OfficeContentNode } from 'officeparser';
import { expect, test } from 'vitest';
import { dropRunningLines } from './drop-running-lines.ts';

const line = (text: string): OfficeContentNode => ({ type: 'paragraph', text });
const isHeading = (node: OfficeContentNode) => (node.text ?? '').startsWith('Exercise');
const textsOf = (pages: OfficeContentNode[][]) => pages.map((page) => page.map(({ text }) => text));
const numbers = [1, 2, 3, 4, 5];

test('titles and numbers that run over all pages are no text of them', () => {
  const pages = numbers.map((page) => [
    line('Water and soil'),
    line(`Text of ${page}`),
    line('More'),
    line(`${page} / 5`),
  ]);
  expect(textsOf(dropRunningLines(pages, isHeading))).toEqual(numbers.map((page) => [`Text of ${page}`, 'More']));
});

test('headings that only differ by their number stay', () => {
  const pages = numbers.map((page) => [
    line(`Exercise ${page}`),
    line('Count.'),
    line(`Answer of ${'x'.repeat(page)}`),
  ]);
  expect(dropRunningLines(pages, isHeading)).toEqual(pages);
});

test('pages of a line or two, and what is only on some pages, stay', () => {
  const short = numbers.map((page) => [line('Water'), line(`${page}`)]);
  expect(dropRunningLines(short, isHeading)).toEqual(short);
  const some = numbers.map((page) => [
    line(page < 3 ? 'Water' : `Soil ${'x'.repeat(page)}`),
    line('A'),
    line('x'.repeat(page)),
  ]);
  expect(dropRunningLines(some, isHeading)).toEqual(some);
});
