import { expect, test } from 'vitest';
import { scoreMatch } from './score-match.ts';

const words = ['Rúbrica de evaluación', 'Pone una rúbrica en la instrucción', 'rubric'];

test('finds by every word, without accents, the name first', () => {
  expect(scoreMatch('rubric_rag', 'rubrica', words)).toBe(1);
  expect(scoreMatch('rubric_rag', 'RÚBRICA instruccion', words)).toBe(0.5);
  expect(scoreMatch('rubric_rag', 'rubric_rag', words)).toBe(0.5);
  expect(scoreMatch('rubric_rag', 'rubrica moodle', words)).toBe(0);
  expect(scoreMatch('rubric_rag', ' ', words)).toBe(1);
});
