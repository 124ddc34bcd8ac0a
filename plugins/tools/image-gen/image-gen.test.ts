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
  validArguments: [{ prompt: 'A lamb in a meadow.' }],
  invalidArguments: [
    { arguments: {}, path: 'prompt' },
    { arguments: { prompt: ' ' }, path: 'prompt' },
    { arguments: { prompt: 'x'.repeat(4001) }, path: 'prompt' },
  ],
});

test('the result shows the image by its address', async () => {
  asked.length = 0;
  const { signal } = new AbortController();
  const given = { prompt: 'A lamb.' };
  expect(await imageGen.function?.run({ config: {}, arguments: given, idempotencyKey: 'k', host, signal })).toEqual({
    content: '![Generated image](/lamb/v1/files/1/content)',
    artifacts: [{ kind: 'image', title: 'Generated image', url: '/lamb/v1/files/1/content' }],
  });
  expect(asked).toEqual([{ prompt: 'A lamb.', key: 'k' }]);
});
