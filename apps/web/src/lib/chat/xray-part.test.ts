import { expect, test } from 'vitest';
import { colorsOf, keyOf } from './xray-part.ts';

test('a stretch has the colour of its tool, the same as everywhere', () => {
  expect(colorsOf({ origin: 'tool', tool: 'simple_rag' })).toEqual(['var(--c1)', 'var(--c1-soft)']);
  expect(colorsOf({ origin: 'call', tool: 'rubric_eval' })[0]).toBe('var(--c2)');
  expect(colorsOf({ origin: 'template' })[0]).toBe('var(--line-strong)');
});

test('two uses of one tool are two parts', () => {
  const span = {
    origin: 'tool' as const,
    tool: 'single_file_rag',
    start: 0,
    chars: 1,
    tokens: 1,
    text: 'x',
    cost_micros: 0,
  };
  expect(keyOf({ ...span, placeholder: 'file' })).not.toBe(keyOf({ ...span, placeholder: 'file_2' }));
});
