import { createTestHost, describeTool } from '@lamb/plugin-kit/conformance';
import { expect, test } from 'vitest';
import { imageGen } from './image-gen.ts';

const asked: unknown[] = [];
const host = createTestHost({
  images: {
    generate(wanted) {
      asked.push(wanted);
      return Promise.resolve({ url: '/lamb/v1/files/1/content', mediaType: 'image/png' });
    },
  },
});

describeTool(imageGen, {
  validConfigs: [{}],
  invalidConfigs: [{ config: 1, path: '' }],
  host,
  validArguments: [{ prompt: 'A lamb in a meadow.' }, { prompt: 'A lamb in a meadow.', alt: 'Un cordero.' }],
  invalidArguments: [
    { arguments: {}, path: 'prompt' },
    { arguments: { prompt: ' ' }, path: 'prompt' },
    { arguments: { prompt: 'x'.repeat(4001) }, path: 'prompt' },
    { arguments: { prompt: 'A lamb.', alt: 'x'.repeat(201) }, path: 'alt' },
  ],
});

const run = (given: { prompt: string; alt?: string }) => {
  const { signal } = new AbortController();
  return imageGen.function?.run({ config: {}, arguments: given, idempotencyKey: 'k', host, signal });
};

test('the result shows the image by its address, and says what it shows to who cannot see it', async () => {
  asked.length = 0;
  expect(await run({ prompt: 'A lamb.', alt: 'Un cordero.' })).toEqual({
    content: '![Un cordero.](/lamb/v1/files/1/content)',
    artifacts: [{ kind: 'image', title: 'Un cordero.', url: '/lamb/v1/files/1/content' }],
  });
  expect(asked).toEqual([{ prompt: 'A lamb.', key: 'k' }]);
});

test('what it shows is one line of text, and the wish for it where the model says nothing else', async () => {
  expect(await run({ prompt: 'A lamb [1]\n\nin `oil`.', alt: ' \n' })).toMatchObject({
    content: '![A lamb 1 in oil .](/lamb/v1/files/1/content)',
  });
  const long = await run({ prompt: 'lamb '.repeat(100) });
  expect(long?.artifacts?.[0]?.title).toMatch(/^lamb .* lamb…$/);
  expect(long?.artifacts?.[0]?.title.length).toBeLessThanOrEqual(200);
});
