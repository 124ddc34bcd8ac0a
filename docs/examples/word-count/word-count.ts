import { defineTool } from '@lamb/plugin-kit';
import { z } from 'zod';

/** Tells the model how long the person's message is. */
export const wordCount = defineTool({
  name: 'word_count',
  version: '1.0',
  category: 'utility',
  title: 'Word count',
  description: 'Counts the words of the message, for assignments with a minimum length.',
  config: z.object({
    minimum: z.number().int().min(0).default(0).meta({
      title: 'Least number of words',
      description: 'Say so when the message has fewer words than this.',
    }),
  }),
  context: {
    placeholder: 'word_count',
    status: () => 'counting words',
    run: ({ config, query, signal }) => {
      signal.throwIfAborted();
      const words = query.split(/\s+/).filter((word) => word !== '').length;
      const short = words < config.minimum ? `, ${String(config.minimum - words)} fewer than required` : '';
      return Promise.resolve({ content: `${String(words)} words${short}` });
    },
  },
});
