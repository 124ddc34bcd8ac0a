import { startLlmServer, type LlmReply, type LlmServer } from '@lamb/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { planBatches } from './plan-batches.ts';
import { requestEmbeddings, type EmbeddingRequest } from './request-embeddings.ts';

let llm: LlmServer;

beforeAll(async () => {
  llm = await startLlmServer({ key: 'sk-right' });
});
beforeEach(() => {
  llm.reset();
});
afterAll(() => llm.stop());

const never = new AbortController().signal;
const plainFetch: EmbeddingRequest['fetch'] = (url, { method, headers, body, signal }) =>
  fetch(url, { method, headers, body, signal });

function embed(change: Partial<EmbeddingRequest> & { wire?: 'openai' | 'ollama'; apiKey?: string } = {}) {
  const { wire = 'openai', apiKey = 'sk-right', ...rest } = change;
  const baseUrl = wire === 'openai' ? `${llm.url}/v1/` : llm.url;
  return requestEmbeddings({
    provider: { wire, baseUrl, apiKey },
    model: 'text-embedding-3-small',
    texts: ['a cat on a mat', 'the tax report'],
    dimensions: 16,
    asksForDimensions: true,
    fetch: plainFetch,
    signal: never,
    ...rest,
  });
}

const length = (vector: Float32Array | undefined) => Math.hypot(...(vector ?? []));

describe.each(['openai', 'ollama'] as const)('over the wire of %s', (wire) => {
  const path = wire === 'openai' ? '/v1/embeddings' : '/api/embed';
  const answerWith = (reply: LlmReply) => {
    llm.script({ when: { path }, ...reply });
  };

  test('texts get vectors of length 1, in their order, and are counted', async () => {
    const { vectors, tokens } = await embed({ wire, idempotencyKey: 'k' });
    expect(vectors).toHaveLength(2);
    for (const vector of vectors) {
      expect(vector).toHaveLength(16);
      expect(length(vector)).toBeCloseTo(1, 5);
    }
    expect(tokens).toBe(8);
    const [alone] = (await embed({ wire, texts: ['the tax report'] })).vectors;
    expect(alone).toEqual(vectors[1]);
    expect(llm.requests[0]?.headers['idempotency-key']).toBe('k');
    expect(llm.requests[0]?.body).toMatchObject({ dimensions: 16 });
  });

  test('a model that is not asked for a length gives its own', async () => {
    const { vectors } = await embed({ wire, dimensions: undefined });
    expect(vectors[0]).toHaveLength(wire === 'openai' ? 1536 : 768);
    expect(llm.requests[0]?.body).not.toHaveProperty('dimensions');
  });

  test('vectors of another length are refused, and it is said what to do', async () => {
    answerWith({ dimensions: 24 });
    await expect(embed({ wire })).rejects.toMatchObject({
      name: 'EmbeddingFailure',
      reason: 'dimensions',
      isPassing: false,
      message: expect.stringMatching(/24 numbers.*made for 16.*Reindex/) as string,
    });
  });

  test.each([
    [
      { status: 429, retryAfterSeconds: 7 },
      { reason: 'limited', isPassing: true, retryAfterMs: 7000 },
    ],
    [{ status: 503 }, { reason: 'unavailable', isPassing: true }],
    [{ status: 401 }, { reason: 'credentials', isPassing: false }],
    [{ status: 404 }, { reason: 'rejected', isPassing: false }],
    [
      { status: 400, error: { message: 'too long' } },
      { reason: 'rejected', isPassing: false },
    ],
    [{ brokenJsonAtChunk: 1 }, { reason: 'malformed', isPassing: false }],
    [{ cutAfterChunks: 1 }, { isPassing: expect.any(Boolean) as boolean }],
  ])('%j is a failure that says so', async (faults, failure) => {
    answerWith({ faults });
    await expect(embed({ wire })).rejects.toMatchObject({ name: 'EmbeddingFailure', ...failure });
  });

  test('who hangs is left when the caller leaves', async () => {
    answerWith({ faults: { hangBeforeHeaders: true } });
    const leaving = new AbortController();
    const asked = embed({ wire, signal: leaving.signal });
    await expect.poll(() => llm.requests).toHaveLength(1);
    leaving.abort(new Error('left'));
    await expect(asked).rejects.toThrow('left');
  });
});

test('a server that is not there passes', async () => {
  const provider = { wire: 'openai', baseUrl: 'http://127.0.0.1:1', apiKey: undefined } as const;
  await expect(embed({ provider })).rejects.toMatchObject({ reason: 'unavailable', isPassing: true });
});

test.each([
  ['too few', { data: [{ index: 0, embedding: [1] }] }],
  ['twice the same', { data: [0, 0].map((index) => ({ index, embedding: [1] })) }],
  ['nothing but zeros', { data: [0, 1].map((index) => ({ index, embedding: [0] })) }],
  ['no numbers', { data: [0, 1].map((index) => ({ index, embedding: ['1'] })) }],
  ['something else', { object: 'error' }],
])('an answer with %s is refused', async (_what, body) => {
  const answer: EmbeddingRequest['fetch'] = () => Promise.resolve(Response.json(body));
  await expect(embed({ fetch: answer, dimensions: 1 })).rejects.toMatchObject({ reason: 'malformed' });
});

test('vectors are taken by their number, not by their place', async () => {
  const body = {
    data: [
      { index: 1, embedding: [0, 3] },
      { index: 0, embedding: [2, 0] },
    ],
  };
  const { vectors, tokens } = await embed({ fetch: () => Promise.resolve(Response.json(body)), dimensions: 2 });
  expect(vectors.map((vector) => [...vector])).toEqual([
    [1, 0],
    [0, 1],
  ]);
  expect(tokens).toBeUndefined();
});

test('batches keep to both limits and to the order; a passage that is too long alone goes alone', () => {
  const sizes = [10, 10, 10, 10, 95, 200, 5];
  const batches = planBatches(
    sizes.map((tokens) => ({ tokens })),
    { maxTexts: 3, maxTokens: 100 },
  );
  expect(batches.map((batch) => batch.map(({ tokens }) => tokens))).toEqual([[10, 10, 10], [10], [95], [200], [5]]);
});
