import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Rubric } from '../rubric.ts';
import { essay, hostile } from './__fixtures__/rubrics.ts';
import { renderRubricForEvaluation } from './render-rubric-for-evaluation.ts';
import { renderRubricForExport } from './render-rubric-for-export.ts';

describe('renderRubricForExport', () => {
  test('writes a complete document', async () => {
    await expect(renderRubricForExport(essay)).toMatchFileSnapshot('./__fixtures__/essay.export.md');
  });

  test('shows markdown in user text as text', async () => {
    await expect(renderRubricForExport(hostile)).toMatchFileSnapshot('./__fixtures__/hostile.export.md');
  });

  test('keeps its structure whatever the author types', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('|', '\\', '\n', '\r', '\u2028', '-', '#', '`', '*', ' ', 'a', '1', '.'),
    });
    fc.assert(
      fc.property(nasty, nasty, nasty, nasty, (title, name, label, description) => {
        const markdown = renderRubricForExport(rubricWith({ title, name, label, description }));
        const lines = markdown.split('\n');
        const headings = lines.filter((line) => line.startsWith('#'));
        expect(headings).toHaveLength(2);
        const table = lines.slice(lines.indexOf('## Criteria') + 2, -1);
        expect(table).toHaveLength(4);
        for (const row of table) expect(countCells(row)).toBe(4);
        expect(markdown).not.toMatch(/[\r\u2028]/);
      }),
    );
  });
});

describe('renderRubricForEvaluation', () => {
  test('tells a model how to assess', async () => {
    await expect(renderRubricForEvaluation(essay)).toMatchFileSnapshot('./__fixtures__/essay.evaluation.md');
  });

  test('gives the formula with the highest level of the whole rubric', () => {
    expect(renderRubricForEvaluation(hostile)).toContain('Σ(level score × weight% / 100) × 100 / 1\n');
  });

  test('gives no formula when no level carries points', () => {
    const rubric = rubricWith({ title: 't', name: 'n', label: 'l', description: 'd' });
    for (const criterion of rubric.criteria) for (const level of criterion.levels) level.score = 0;
    const markdown = renderRubricForEvaluation(rubric);
    expect(markdown).toContain('give no total score');
    expect(markdown).not.toContain('Σ');
  });
});

function rubricWith(text: { title: string; name: string; label: string; description: string }): Rubric {
  const levels = [2, 1].map((score) => ({ ...text, id: String(score), score, order: 0 }));
  const criterion = { ...text, weight: 50, order: 0, levels };
  return {
    ...text,
    metadata: { subject: text.title },
    scoringType: 'points',
    maxScore: 10,
    criteria: [
      { ...criterion, id: 'a' },
      { ...criterion, id: 'b' },
    ],
  };
}

/** Cells of a table row as a markdown reader counts them: a pipe counts unless a backslash that is itself not escaped precedes it. */
function countCells(row: string): number {
  return row.replace(/\\./g, '').split('|').length - 2;
}
