import { defineTool } from '@lamb/plugin-kit';
import { z } from 'zod';

/** Lets the model have an image made, which is kept as a file of the person who is asking. */
export const imageGen = defineTool({
  name: 'image_gen',
  version: '1.0',
  category: 'utility',
  title: 'Image generation',
  description:
    'Lets the assistant make images. They are kept among the files of the person who asks, and opened by nobody else.',
  config: z.object({}),
  function: {
    name: () => 'generate_image',
    description: () =>
      'Makes an image from a description and gives markdown that shows it. Put that markdown into your answer unchanged.',
    input: z.object({
      prompt: z.string().trim().min(1).max(4000).meta({
        description: 'What the image shows, in full sentences: subject, style, composition.',
      }),
    }),
    effect: 'idempotent',
    timeoutMs: 60_000,
    async run({ arguments: { prompt }, idempotencyKey, host, signal }) {
      signal.throwIfAborted();
      const { url } = await host.images.generate({ prompt, key: idempotencyKey }, signal);
      return {
        content: `![Generated image](${url})`,
        artifacts: [{ kind: 'image', title: 'Generated image', url }],
      };
    },
  },
});
