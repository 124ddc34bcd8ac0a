import { renderRubricForEvaluation } from '@lamb/contract';
import { defineTool, toFunctionName, ToolFailure, type ToolHost, type ToolResult } from '@lamb/plugin-kit';
import { z } from 'zod';

const RubricId = z.preprocess(
  (id) => (Number.isInteger(id) ? String(id) : id),
  z.string().regex(/^[\w-]{1,100}$/, 'A rubric id is letters, digits, _ and -; the list of rubrics shows it.'),
);

const Config = z.object({
  rubric_id: RubricId.meta({
    title: 'Rubric',
    description: 'The rubric to put into the prompt, by its id.',
    'x-widget': 'rubric',
  }),
  format: z.enum(['markdown', 'json']).default('markdown').meta({
    title: 'Format',
    description: 'markdown gives the model instructions with the scoring formula; json gives the rubric as data.',
  }),
  name: z.string().max(100).optional().meta({
    title: 'Name',
    description: 'What the rubric is to the model when the model decides whether to read it, such as “lab report”.',
    'x-mode': 'function',
  }),
});

/** Puts an assessment rubric into the prompt, or lets the model read it. */
export const rubricRag = defineTool({
  name: 'rubric_rag',
  version: '1.0',
  category: 'rubric',
  title: 'Assessment rubric',
  description:
    'Puts a rubric into the prompt, or lets the model read it, so that the assistant can assess work by its criteria and levels.',
  config: Config,
  context: {
    placeholder: 'rubric',
    status: ({ config }) => `generating rubric ${config.rubric_id}`,
    run: ({ config, host, signal }) => readRubric(config, host, signal),
  },
  function: {
    name({ config }) {
      const name = toFunctionName(config.name ?? '');
      return name === undefined ? 'get_rubric' : `get_rubric_${name}`;
    },
    description: ({ config }) =>
      `Gives the rubric${config.name === undefined ? '' : ` “${config.name}”`} by which work is assessed: its criteria, their weights and levels.`,
    input: z.object({}),
    effect: 'none',
    run: ({ config, host, signal }) => readRubric(config, host, signal),
  },
});

async function readRubric(config: z.infer<typeof Config>, host: ToolHost, signal: AbortSignal): Promise<ToolResult> {
  signal.throwIfAborted();
  const rubric = await host.rubrics.get(config.rubric_id, signal);
  if (!rubric) {
    throw new ToolFailure(`Rubric ${config.rubric_id} was not found or is not accessible to the assistant's owner.`);
  }
  return {
    content: config.format === 'json' ? JSON.stringify(rubric, null, 2) : renderRubricForEvaluation(rubric),
    sources: [{ title: rubric.title, kind: 'rubric', id: config.rubric_id }],
    metadata: { format: config.format },
  };
}
