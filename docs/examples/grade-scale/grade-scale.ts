import { defineTool, ToolFailure } from '@lamb/plugin-kit';
import { z } from 'zod';

/** Lets the model look up a grade instead of guessing it. */
export const gradeScale = defineTool({
  name: 'grade_scale',
  version: '1.0',
  category: 'utility',
  title: 'Grade scale',
  description: 'Turns points into a grade by the scale of the course.',
  config: z.object({
    pass_mark: z.number().min(0).max(100).default(50).meta({
      title: 'Pass mark',
      description: 'The points from which on the work has passed.',
    }),
  }),
  function: {
    name: () => 'look_up_grade',
    description: ({ config }) => `Tells whether points (0 to 100) are a pass; the pass mark is ${config.pass_mark}.`,
    input: z.object({ points: z.number().meta({ description: 'The points that the work got.' }) }),
    effect: 'none',
    run: ({ config, arguments: { points }, signal }) => {
      signal.throwIfAborted();
      if (points < 0 || points > 100) throw new ToolFailure('Points are from 0 to 100. Ask for them again.');
      return Promise.resolve({ content: points >= config.pass_mark ? 'passed' : 'failed' });
    },
  },
});
