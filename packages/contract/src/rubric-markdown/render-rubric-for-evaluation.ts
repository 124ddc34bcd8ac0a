import type { Rubric } from '../rubric.ts';
import { formatNumber } from './format-number.ts';
import { orderRubric } from './order-rubric.ts';

/** A rubric as instructions for a model that assesses work: every criterion, every level, and how the score is computed. */
export function renderRubricForEvaluation(rubric: Rubric): string {
  const criteria = orderRubric(rubric);
  const blocks = [
    `# Rubric: ${oneLine(rubric.title)}`,
    indent(rubric.description, ''),
    'Assess the work against every criterion below. For each criterion choose exactly one level, say what in the work supports the choice, and give the score of that level.',
    ...criteria.map((criterion, index) => renderCriterion(criterion, index + 1)),
    renderScoring(rubric),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function renderCriterion(criterion: Rubric['criteria'][number], number: number): string {
  const levels = criterion.levels.map((level) => {
    const head = `- ${formatNumber(level.score)} points, ${oneLine(level.label)}`;
    const description = indent(level.description, '  ');
    return description === '' ? head : `${head}: ${description}`;
  });
  return [
    `## Criterion ${String(number)}: ${oneLine(criterion.name)} (weight ${formatNumber(criterion.weight)}%)`,
    indent(criterion.description, ''),
    levels.join('\n'),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

function renderScoring(rubric: Rubric): string {
  const highest = Math.max(...rubric.criteria.flatMap((criterion) => criterion.levels.map((level) => level.score)));
  const facts = `## Score\n\nScoring type: ${rubric.scoringType}. Maximum score: ${formatNumber(rubric.maxScore)}.`;
  // Without a positive level the formula divides by zero: such a rubric is assessed in words.
  if (highest <= 0) return `${facts} The levels carry no points: give no total score.`;
  const formula = `Total score = Σ(level score × weight% / 100) × ${formatNumber(rubric.maxScore)} / ${formatNumber(highest)}`;
  return `${facts} Highest level score: ${formatNumber(highest)}.\n\n${formula}\n\nThe sum runs over all criteria. Show the calculation and round the total to two decimals.`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function indent(text: string, margin: string): string {
  return text
    .trim()
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line, index) => (index === 0 || line.trim() === '' ? line.trimEnd() : margin + line.trimEnd()))
    .join('\n');
}
