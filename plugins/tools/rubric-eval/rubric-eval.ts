import type { Rubric } from '@lamb/contract';
import { defineTool, ToolFailure } from '@lamb/plugin-kit';
import { z } from 'zod';
import { assessCriterion, type Assessment } from './assess-criterion.ts';
import { scoreRubric } from './score-rubric.ts';

/** How many criteria are assessed at the same time: a rubric may have a hundred, a provider has limits. */
const PARALLEL = 4;

/** Lets the model have a text assessed by a rubric, each criterion on its own, with the total computed by us. */
export const rubricEval = defineTool({
  name: 'rubric_eval',
  version: '1.0',
  category: 'rubric',
  title: 'Assessment by rubric',
  description: 'Lets the assistant assess a text by a rubric: each criterion on its own, and the total by its formula.',
  config: z.object({
    rubric_id: z
      .preprocess(
        (id) => (Number.isInteger(id) ? String(id) : id),
        z.string().regex(/^[\w-]{1,100}$/, 'A rubric id is letters, digits, _ and -; the list of rubrics shows it.'),
      )
      .meta({ title: 'Rubric', description: 'The rubric to assess by, by its id.', 'x-widget': 'rubric' }),
  }),
  function: {
    name: () => 'evaluate_with_rubric',
    description: () =>
      'Assesses a text by the rubric of this course: the level reached in each criterion with the reason, and the total score.',
    input: z.object({
      text: z.string().trim().min(1).max(200_000).meta({ description: 'The whole text to assess, unchanged.' }),
    }),
    effect: 'none',
    timeoutMs: 120_000,
    async run({ config, arguments: { text }, host, signal }) {
      signal.throwIfAborted();
      const rubric = await host.rubrics.get(config.rubric_id, signal);
      if (!rubric) {
        throw new ToolFailure(
          `Rubric ${config.rubric_id} was not found or is not accessible to the assistant's owner.`,
        );
      }
      const criteria = rubric.criteria.toSorted((a, b) => a.order - b.order);
      const assessments = await mapInParallel(criteria, (criterion) => assessCriterion(criterion, text, host, signal));
      const missing = criteria.filter((_criterion, index) => assessments[index] === undefined);
      if (missing.length === criteria.length) {
        throw new ToolFailure('The model gave no assessment that can be read. Try again, or choose another model.');
      }
      const error = `Not assessed, because the model gave nothing that can be read: ${missing.map(({ name }) => name).join(', ')}.`;
      const total =
        missing.length === 0
          ? scoreRubric(
              { ...rubric, criteria },
              assessments.map((assessment) => assessment?.level.score ?? 0),
            )
          : undefined;
      const sections = criteria.map((criterion, index) => renderCriterion(criterion, assessments[index]));
      const score = total === undefined ? [] : [`Total score: ${String(total)} of ${String(rubric.maxScore)}`];
      return {
        content: [`# ${rubric.title}`, ...sections, ...score].join('\n\n'),
        sources: [{ title: rubric.title, kind: 'rubric', id: config.rubric_id }],
        metadata: {
          criteria: criteria.length,
          max_score: rubric.maxScore,
          ...(total === undefined ? {} : { score: total }),
        },
        ...(missing.length === 0 ? {} : { error }),
      };
    },
  },
});

function renderCriterion({ name, weight }: Rubric['criteria'][number], assessment: Assessment | undefined): string {
  const head = `## ${name} (weight ${String(weight)}%)`;
  if (!assessment) return `${head}\n\nNot assessed.`;
  const { level, reason } = assessment;
  return `${head}\n\n${level.label}, ${String(level.score)} points. ${reason}`;
}

async function mapInParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  let failed = false;
  const worker = async () => {
    for (const [index, item] of queue) {
      // Once one has failed, the answers of the others are of no use, and cost money.
      if (failed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return results;
}
