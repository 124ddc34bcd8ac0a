import type { AttributedSource } from '@lamb/contract';
import { expect, test } from 'vitest';
import { numberResult } from './number-result.ts';

const from = (title: string, more: Partial<AttributedSource> = {}): AttributedSource => ({
  title,
  tool: 'simple_rag',
  placeholder: 'context',
  ...more,
});

test('passages are numbered after those before them, each with where it stands', () => {
  const found = {
    content: '',
    passages: [
      { text: ' A force.\n', source: from('a.pdf', { page: 3, heading_path: ['Motion', 'Newton’s\nlaws'] }) },
      { text: 'A vector.', source: from('b.pdf', { page: 4, page_to: 5, number: 99 }) },
      { text: 'A field.', source: from('c.docx') },
    ],
    sources: [],
  };
  const { content, sources, lastNumber } = numberResult(found, 6);
  expect(content.split('\n\n').slice(1)).toEqual([
    '[7] A force.\n(a.pdf, p. 3, Motion > Newton’s laws)',
    '[8] A vector.\n(b.pdf, pp. 4–5)',
    '[9] A field.\n(c.docx)',
  ]);
  expect(content.split('\n\n')[0]).toMatch(/cite it .* such as \[7\]\./);
  expect(sources.map(({ title, number }) => [title, number])).toEqual([
    ['a.pdf', 7],
    ['b.pdf', 8],
    ['c.docx', 9],
  ]);
  expect(lastNumber).toBe(9);
});

test('what is not to be cited stays as it is', () => {
  const found = { content: 'As [1] says.', sources: [from('a.pdf')] };
  expect(numberResult(found, undefined)).toEqual({ ...found, lastNumber: undefined });
  expect(numberResult(found, 4)).toEqual({ ...found, lastNumber: 4 });
});

test('a tool that found nothing to cite still says that the model cites', () => {
  const found = { content: 'Nothing was found.', passages: [], sources: [] };
  expect(numberResult(found, undefined)).toEqual({ content: 'Nothing was found.', sources: [], lastNumber: 0 });
});

test('markers that a result brings along become numbers of this turn', () => {
  const found = {
    content: 'Forces add [2], `a[1]`, vectors too [1, 2]. Nobody said this [7].',
    sources: [from('a.pdf', { number: 1 }), from('b.pdf', { number: 2 }), from('c.pdf'), from('a2.pdf', { number: 1 })],
  };
  expect(numberResult(found, 3)).toEqual({
    content: 'Forces add [5], `a[1]`, vectors too [4][5]. Nobody said this .',
    sources: [from('a.pdf', { number: 4 }), from('b.pdf', { number: 5 }), from('c.pdf'), from('a2.pdf', { number: 4 })],
    lastNumber: 5,
  });
});
