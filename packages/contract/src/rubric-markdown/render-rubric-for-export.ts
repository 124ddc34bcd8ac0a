import type { Rubric } from '../rubric.ts';
import { escapeInline, escapeParagraphs } from './escape-markdown.ts';
import { formatNumber } from './format-number.ts';
import { orderRubric } from './order-rubric.ts';

type Criteria = Rubric['criteria'];
type Level = Criteria[number]['levels'][number];

const METADATA_LABELS: Readonly<Record<string, string>> = {
  subject: 'Subject',
  gradeLevel: 'Grade level',
  author: 'Author',
  version: 'Version',
  tags: 'Tags',
  createdAt: 'Created',
  modifiedAt: 'Modified',
};

/** A rubric as a complete markdown document for people; whatever its author typed appears as typed and cannot change the document. */
export function renderRubricForExport(rubric: Rubric): string {
  const criteria = orderRubric(rubric);
  const blocks = [
    `# ${escapeInline(rubric.title)}`,
    escapeParagraphs(rubric.description),
    renderFacts(rubric),
    '## Criteria',
    renderTable(criteria),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function renderFacts(rubric: Rubric): string {
  const facts = Object.entries(METADATA_LABELS).flatMap(([key, label]) => {
    const text = metadataText(rubric.metadata[key]);
    return text === '' ? [] : [`- **${label}:** ${text}`];
  });
  facts.push(`- **Scoring type:** ${rubric.scoringType}`, `- **Maximum score:** ${formatNumber(rubric.maxScore)}`);
  return facts.join('\n');
}

function metadataText(value: unknown): string {
  if (Array.isArray(value)) return value.map(metadataText).filter(Boolean).join(', ');
  if (typeof value === 'number') return formatNumber(value);
  return typeof value === 'string' ? escapeInline(value) : '';
}

function renderTable(criteria: Criteria): string {
  const shared = sharedLevels(criteria);
  const columns = Math.max(...criteria.map((criterion) => criterion.levels.length));
  const levelHeads = Array.from({ length: columns }, (_, index) => {
    const level = shared?.[index];
    return level ? levelHead(level) : `Level ${String(index + 1)}`;
  });
  const rows = criteria.map((criterion) => [
    joinCell(`**${escapeInline(criterion.name)}**`, escapeInline(criterion.description)),
    `${formatNumber(criterion.weight)}%`,
    ...levelHeads.map((_, index) => {
      const level = criterion.levels[index];
      if (!level) return '';
      const description = escapeInline(level.description);
      return shared ? description : joinCell(`**${levelHead(level)}**`, description);
    }),
  ]);
  return [['Criterion', 'Weight', ...levelHeads], ['---', '---:', ...levelHeads.map(() => '---')], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** The levels that can head the columns: those of any criterion, when all have the same labels and scores. */
function sharedLevels(criteria: Criteria): readonly Level[] | undefined {
  const [first, ...others] = criteria.map((criterion) => criterion.levels);
  const key = (levels: readonly Level[] | undefined) =>
    JSON.stringify(levels?.map(({ label, score }) => [label, score]));
  return others.every((levels) => key(levels) === key(first)) ? first : undefined;
}

function levelHead(level: Level): string {
  return `${escapeInline(level.label)} (${formatNumber(level.score)})`.trim();
}

function joinCell(head: string, text: string): string {
  return text === '' ? head : `${head}: ${text}`;
}
