import { defineTool } from '@lamb/plugin-kit';
import { z } from 'zod';

const LONGEST_ALT = 200;

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
      alt: z.string().trim().max(LONGEST_ALT).optional().meta({
        description:
          'One sentence that says what the image shows to somebody who cannot see it, in the language of the conversation.',
      }),
    }),
    effect: 'idempotent',
    timeoutMs: 60_000,
    async run({ arguments: { prompt, alt = '' }, idempotencyKey, host, signal }) {
      signal.throwIfAborted();
      const { url } = await host.images.generate({ prompt, key: idempotencyKey }, signal);
      const title = toAltText(alt) || toAltText(prompt);
      return { content: `![${title}](${url})`, artifacts: [{ kind: 'image', title, url }] };
    },
  },
});

/** One line that markdown takes between its brackets. */
function toAltText(text: string): string {
  const line = text.replaceAll(/[\s[\]\\`]+/g, ' ').trim();
  return line.length <= LONGEST_ALT ? line : `${line.slice(0, LONGEST_ALT - 1).trimEnd()}…`;
}
