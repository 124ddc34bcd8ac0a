import { renderRubricForEvaluation } from '@lamb/contract';
import { defineTool, ToolFailure } from '@lamb/plugin-kit';
import { z } from 'zod';

const RubricId = z.preprocess(
  (id) => (Number.isInteger(id) ? String(id) : id),
  z.string().regex(/^[\w-]{1,100}$/, 'A rubric id is letters, digits, _ and -; the list of rubrics shows it.'),
);

/** Puts an assessment rubric into the prompt. */
export const rubricRag = defineTool({
  name: 'rubric_rag',
  version: '1.0',
  category: 'rubric',
  title: 'Assessment rubric',
  description: 'Puts a rubric into the prompt, so that the assistant can assess work by its criteria and levels.',
  config: z.object({
    rubric_id: RubricId.meta({ title: 'Rubric', description: 'The rubric to put into the prompt, by its id.' }),
    format: z.enum(['markdown', 'json']).default('markdown').meta({
      title: 'Format',
      description: 'markdown gives the model instructions with the scoring formula; json gives the rubric as data.',
    }),
  }),
  context: {
    placeholder: 'rubric',
    status: ({ config }) => `generating rubric ${config.rubric_id}`,
    async run({ config, host, signal }) {
      signal.throwIfAborted();
      const rubric = await host.rubrics.get(config.rubric_id, signal);
      if (!rubric) {
        throw new ToolFailure(
          `Rubric ${config.rubric_id} was not found or is not accessible to the assistant's owner.`,
        );
      }
      return {
        content: config.format === 'json' ? JSON.stringify(rubric, null, 2) : renderRubricForEvaluation(rubric),
        sources: [{ title: rubric.title, kind: 'rubric', id: config.rubric_id }],
        metadata: { format: config.format },
      };
    },
  },
});
