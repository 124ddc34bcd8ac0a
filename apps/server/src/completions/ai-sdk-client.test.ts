import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { RunEvent } from '@lamb/contract';
import { makePng, numberTokens } from '@lamb/testing';
import { APICallError, generateText, streamText } from 'ai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { createTutors, type Tutors } from './__fixtures__/create-tutors.ts';

let lamb: TestServer;
let tutors: Tutors;

beforeAll(async () => {
  lamb = await startTestServer();
  tutors = await createTutors(lamb);
});
afterAll(async () => lamb.stop());
beforeEach(() => lamb.llm.reset());

/** What arrived at the provider. */
function received(): Record<string, unknown> & { messages: unknown[] } {
  return lamb.llm.requests.at(-1)?.body as Record<string, unknown> & { messages: unknown[] };
}

async function readAll<Chunk>(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const provider = (person: Pick<Person, 'key'> = lamb.north.student) =>
  createOpenAICompatible({ name: 'lamb', baseURL: `${lamb.url}/v1`, apiKey: person.key, includeUsage: true });
const prompt = 'What does a force do?';

test('generates', async () => {
  lamb.llm.script({
    text: 'It changes its motion.',
    finishReason: 'length',
    usage: { promptTokens: 21, completionTokens: 5 },
  });
  const result = await generateText({
    model: provider()(tutors.physics.model),
    prompt,
    temperature: 0.3,
    maxOutputTokens: 77,
    stopSequences: ['END'],
    seed: 42,
  });
  expect(result.text).toBe('It changes its motion.');
  expect(result.finishReason).toBe('length');
  expect(result.usage).toMatchObject({ inputTokens: 21, outputTokens: 5, totalTokens: 26 });
  expect(received()).toMatchObject({ temperature: 0.3, max_tokens: 77, stop: ['END'], seed: 42 });
});

test('streams, and reads what happens from the raw chunks', async () => {
  lamb.llm.script({ tokens: 30, usage: { promptTokens: 9, completionTokens: 30 } });
  const result = streamText({ model: provider()('LAMB:Physics tutor'), prompt, include: { rawChunks: true } });
  let text = '';
  const statuses: string[] = [];
  for await (const part of result.stream) {
    if (part.type === 'text-delta') text += part.text;
    if (part.type !== 'raw') continue;
    const event = (part.rawValue as { lamb?: RunEvent }).lamb;
    if (event?.type === 'status') statuses.push(event.text);
  }
  expect(text).toBe(numberTokens(30));
  expect(statuses).toEqual(['querying knowledge base 1', 'simple_rag completed', 'merging tool outputs']);
  expect(await result.finishReason).toBe('stop');
  expect(await result.usage).toMatchObject({ inputTokens: 9, outputTokens: 30 });
});

test('shows statuses as reasoning when asked to', async () => {
  lamb.llm.script({ text: 'It moves.' });
  const result = streamText({
    model: provider()(tutors.physics.model),
    prompt,
    providerOptions: { lamb: { lamb: { status: 'reasoning' } } },
  });
  expect(await result.text).toBe('It moves.');
  expect((await result.finalStep).reasoningText).toContain('querying knowledge base 1\n');
});

test('images pass with vision', async () => {
  const image = makePng(7);
  await generateText({
    model: provider()(tutors.eyes.model),
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'file', data: image, mediaType: 'image/png' },
        ],
      },
    ],
  });
  expect(received().messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${image.toString('base64')}` } },
      ],
    },
  ]);
});

test('errors carry status and message', async () => {
  const failing = generateText({ model: provider()('lamb_assistant.999999'), prompt, maxRetries: 0 });
  await expect(failing).rejects.toSatisfy(APICallError.isInstance);
  await expect(failing).rejects.toMatchObject({
    statusCode: 404,
    message: expect.stringContaining('There is no model “lamb_assistant.999999”'),
  });
});

test('a stream that is cut gives its text and then the error', async () => {
  lamb.llm.script({ tokens: 10, intervalMs: 5, faults: { cutAfterChunks: 4 } });
  const errors: unknown[] = [];
  const result = streamText({
    model: provider()(tutors.physics.model),
    prompt,
    maxRetries: 0,
    onError: ({ error }) => void errors.push(error),
  });
  const text = (await readAll(result.textStream)).join('');
  expect(text).toBe(numberTokens(4));
  expect(JSON.stringify(errors)).toContain('ended its answer in the middle');
});
