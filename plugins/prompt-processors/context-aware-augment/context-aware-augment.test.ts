import { messageText, type ChatMessage } from '@lamb/contract';
import type { ShapeQueryInput } from '@lamb/plugin-kit';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { contextAwareAugment } from './context-aware-augment.ts';

const conversation: readonly ChatMessage[] = [
  { role: 'system', content: 'system text' },
  { role: 'user', content: 'What is a vector?' },
  { role: 'assistant', content: 'An element of a vector space.' },
  { role: 'tool', content: 'tool text', tool_call_id: '1' },
  { role: 'user', content: 'And its length?' },
];

type Ask = NonNullable<ShapeQueryInput['askSmallModel']>;

function shape(askSmallModel: Ask | undefined, changed: Partial<ShapeQueryInput> = {}) {
  const { signal } = new AbortController();
  return contextAwareAugment.shapeQuery?.({
    messages: conversation,
    userInput: 'And its length?',
    askSmallModel,
    signal,
    ...changed,
  });
}

/** A model that records what it was asked. */
function modelSaying(answer: string) {
  const prompts: (readonly ChatMessage[])[] = [];
  const ask: Ask = (messages) => {
    prompts.push(messages);
    return Promise.resolve(answer);
  };
  return { ask, prompts };
}

afterEach(() => {
  vi.useRealTimers();
});

test('a follow-up question is completed from the conversation', async () => {
  const model = modelSaying(' “length of\na vector” ');
  expect(await shape(model.ask)).toBe('length of a vector');
  const prompt = model.prompts[0]?.map(messageText).join('\n') ?? '';
  expect(prompt).toContain('user: What is a vector?\nassistant: An element of a vector space.\n');
  expect(prompt).toContain('And its length?');
  expect(prompt).not.toContain('system text');
  expect(prompt).not.toContain('tool text');
});

describe('the model is not asked', () => {
  test.each<[when: string, changed: Partial<ShapeQueryInput>]>([
    ['for the first question of a conversation', { messages: [{ role: 'user', content: 'What is a vector?' }] }],
    [
      'when only a system message precedes it',
      { messages: [conversation[0], conversation[4]].flatMap((m) => m ?? []) },
    ],
    ['when there is no text to search with', { userInput: ' ' }],
    ['when there is no user message', { messages: [{ role: 'assistant', content: 'Hello' }] }],
  ])('%s', async (_, changed) => {
    const model = modelSaying('something else');
    const userInput = changed.userInput ?? 'What is a vector?';
    expect(await shape(model.ask, { userInput, ...changed })).toBe(userInput);
    expect(model.prompts).toEqual([]);
  });
});

describe('the last message is searched', () => {
  test.each<[when: string, ask: Ask | undefined]>([
    ['without a small fast model', undefined],
    ['when the model fails', () => Promise.reject(new Error('503'))],
    [
      'when the model cannot even be called',
      () => {
        throw new Error('not configured');
      },
    ],
    ['when the answer is empty', () => Promise.resolve(' \n')],
    ['when the answer is only quotes', () => Promise.resolve('""')],
    ['when the answer is an essay', () => Promise.resolve('word '.repeat(101))],
  ])('%s', async (_, ask) => {
    expect(await shape(ask)).toBe('And its length?');
  });

  test.each([
    [
      'listens to its signal',
      (signal: AbortSignal, stop: (reason: unknown) => void) => {
        signal.addEventListener('abort', () => {
          stop(signal.reason);
        });
      },
    ],
    ['ignores its signal', () => undefined],
  ])('when a model that %s takes more than five seconds', async (_, listen) => {
    vi.useFakeTimers();
    let given: AbortSignal | undefined;
    const shaped = shape(
      (__, signal) =>
        new Promise((___, reject) => {
          given = signal;
          listen(signal, reject);
        }),
    );
    await vi.advanceTimersByTimeAsync(4999);
    expect(given?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(given?.aborted).toBe(true);
    expect(await shaped).toBe('And its length?');
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('an answer in time leaves no timer behind', async () => {
  vi.useFakeTimers();
  await shape(modelSaying('query').ask);
  expect(vi.getTimerCount()).toBe(0);
});

test('the end of the turn ends it at once', async () => {
  const controller = new AbortController();
  const shaped = shape(() => new Promise(() => undefined), { signal: controller.signal });
  controller.abort();
  await expect(shaped).rejects.toBe(controller.signal.reason);
});

test('the prompt stays small however long the conversation is', async () => {
  const model = modelSaying('query');
  const messages = Array.from({ length: 500 }, (_, index): ChatMessage => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text: `message ${String(index)} ${'x'.repeat(10_000)}` }],
  }));
  await shape(model.ask, {
    messages: [...messages, { role: 'user', content: 'q' }],
    userInput: `x${'🐑'.repeat(50_000)}`,
  });
  const prompt = model.prompts[0]?.map(messageText).join('\n') ?? '';
  expect(prompt.length).toBeLessThan(10_000);
  expect(prompt).toContain('message 499');
  expect(prompt).not.toContain('message 491 ');
  expect(prompt.isWellFormed()).toBe(true);
});
