import { defineTool } from '@lamb/plugin-kit';
import { z } from 'zod';

/** Gathers nothing: assistants of earlier installations name it where they use no retrieval. */
export const noRag = defineTool({
  name: 'no_rag',
  version: '1.0',
  category: 'none',
  title: 'No context',
  description: 'Adds nothing to the prompt; {context} stays empty.',
  config: z.object({}),
  context: {
    placeholder: 'context',
    run({ signal }) {
      signal.throwIfAborted();
      return Promise.resolve({ content: '', sources: [] });
    },
  },
});
