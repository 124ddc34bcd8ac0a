import { createOpenAiConnector } from '@lamb/connectors/openai';
import { AppError } from '@lamb/contract';
import type { Connector, ModelCall, ModelEvent } from '@lamb/plugin-kit';
import { numberTokens, startLlmServer, type LlmServer } from '@lamb/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMetrics, type Metrics } from '../metrics.ts';
import { createOutboundDispatcher } from '../outbound/create-outbound-dispatcher.ts';
import { createResilience } from './create-resilience.ts';
import { withResilience } from './with-resilience.ts';

let llm: LlmServer;
let plain: Connector;
let dispatcher: ReturnType<typeof createOutboundDispatcher>;
/** Where nobody listens. */
let nobody: string;

beforeAll(async () => {
  llm = await startLlmServer();
  const gone = await startLlmServer();
  nobody = gone.url;
  await gone.stop();
  dispatcher = createOutboundDispatcher({ allow: [new URL(llm.url).host, new URL(nobody).host] });
  plain = createOpenAiConnector({ dispatcher });
});
afterAll(async () => {
  await dispatcher.destroy();
  await llm.stop();
});

let metrics: Metrics;
let connector: Connector;
/** The clock stands still unless a retry waits or the test moves it. */
let time: number;
let waits: number[];

beforeEach(() => {
  llm.reset();
  metrics = createMetrics();
  time = 0;
  waits = [];
  const sleep = (milliseconds: number) => {
    waits.push(milliseconds);
    time += milliseconds;
    return Promise.resolve();
  };
  connector = withResilience(plain, createResilience({ metrics, now: () => time, sleep }));
});

function makeCall(change: Partial<ModelCall> & { baseUrl?: string; organizationId?: string } = {}): ModelCall {
  const { baseUrl = `${llm.url}/v1`, organizationId = 'north', ...more } = change;
  return {
    settings: { baseUrl, apiKey: 'sk-test', organizationId },
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'Hello' }],
    sampling: {},
    signal: new AbortController().signal,
    ...more,
  };
}

interface Answer {
  readonly text: string;
  readonly error: AppError | undefined;
}

async function ask(change: Parameters<typeof makeCall>[0] = {}, through = connector): Promise<Answer> {
  let text = '';
  try {
    for await (const batch of through.stream(makeCall(change))) {
      for (const event of batch) if (event.type === 'text') text += event.text;
    }
    return { text, error: undefined };
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return { text, error: error as AppError };
  }
}

async function readFigure(name: string, state?: string): Promise<number> {
  const { values } = await (metrics.registry.getSingleMetric(name)?.get() ?? { values: [] });
  const fitting = values.filter(({ labels }) => state === undefined || labels['state'] === state);
  return fitting.reduce((sum, { value }) => sum + value, 0);
}

const failing = { faults: { status: 500 }, times: 'always' } as const;

/** Brings the provider to be paused, and forgets the requests that did it. */
async function pauseProvider(change: Parameters<typeof makeCall>[0] = {}): Promise<void> {
  llm.script(failing);
  for (let calls = 0; calls < 5; calls += 1) await ask(change);
  llm.reset();
}

describe('before the first token', () => {
  test('a provider that fails twice and then answers has answered, after two retries', async () => {
    llm.script({ faults: { status: 503 } }, { faults: { status: 429 } }, { tokens: 5 });
    expect(await ask()).toEqual({ text: numberTokens(5), error: undefined });
    expect(llm.requests).toHaveLength(3);
    expect(await readFigure('lamb_retries_total')).toBe(2);
    expect(waits.every((milliseconds) => milliseconds > 0)).toBe(true);
  });

  test('a provider that says when to come again is asked then and no sooner', async () => {
    llm.script({ faults: { status: 429, retryAfterSeconds: 3 } }, { tokens: 5 });
    expect((await ask()).text).toBe(numberTokens(5));
    expect(waits).toEqual([expect.toSatisfy((milliseconds: number) => milliseconds > 3000 && milliseconds < 4000)]);
  });

  test('a provider that asks for more time than a person waits is not waited for', async () => {
    llm.script({ faults: { status: 429, retryAfterSeconds: 30 } });
    const { error } = await ask();
    expect(error).toMatchObject({ code: 'provider_rate_limited', details: { retry_after: 30 } });
    expect(llm.requests).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test('a provider that nobody listens at is tried again, then paused', async () => {
    const answers = [await ask({ baseUrl: nobody }), await ask({ baseUrl: nobody }), await ask({ baseUrl: nobody })];
    expect(answers.map(({ error }) => error?.message)).toEqual(Array(3).fill('The model provider cannot be reached.'));
    expect(await readFigure('lamb_retries_total')).toBe(2);
    expect((await ask({ baseUrl: nobody })).error?.message).toContain('paused for');
  });

  test.each([
    ['refuses the request', { status: 400 }, 'provider_rejected'],
    ['refuses the key', { status: 401 }, 'provider_credentials_rejected'],
    ['is elsewhere', { status: 302 }, 'provider_unavailable'],
  ] as const)('a provider that %s is asked once, and not paused for it', async (_what, faults, code) => {
    llm.script({ faults, times: 'always' });
    for (let calls = 0; calls < 20; calls += 1) expect((await ask()).error?.code).toBe(code);
    expect(llm.requests).toHaveLength(20);
    expect(await readFigure('lamb_breakers', 'closed')).toBe(1);
  });

  test.each(['not an address', 'http://169.254.169.254/v1'])('%s is no provider to pause', async (baseUrl) => {
    for (let calls = 0; calls < 20; calls += 1) {
      expect((await ask({ baseUrl })).error?.message).not.toContain('paused');
    }
    expect(await readFigure('lamb_retries_total')).toBe(0);
  });

  test('an abort while it waits to try again ends it at once, with its reason', async () => {
    const real = withResilience(plain, createResilience({ metrics: createMetrics() }));
    llm.script({ faults: { status: 429, retryAfterSeconds: 5 } });
    const turn = new AbortController();
    const began = performance.now();
    const answer = real
      .stream(makeCall({ signal: turn.signal }))
      [Symbol.asyncIterator]()
      .next();
    await vi.waitFor(() => expect(llm.requests[0]?.finishedAt).toBeTypeOf('number'));
    turn.abort(new Error('the turn ended'));
    await expect(answer).rejects.toThrow('the turn ended');
    expect(performance.now() - began).toBeLessThan(2000);
    expect(llm.requests).toHaveLength(1);
  });

  test('so does a consumer that leaves', async () => {
    const real = withResilience(plain, createResilience({ metrics: createMetrics() }));
    llm.script({ faults: { status: 429, retryAfterSeconds: 5 } });
    const answer = real.stream(makeCall())[Symbol.asyncIterator]();
    const first = answer.next();
    await vi.waitFor(() => expect(llm.requests[0]?.finishedAt).toBeTypeOf('number'));
    await answer.return?.();
    expect(await first).toEqual({ done: true, value: undefined });
    expect(await answer.next()).toEqual({ done: true, value: undefined });
    expect(llm.requests).toHaveLength(1);
  });

  test('a consumer that leaves hangs up on the provider', async () => {
    llm.script({ faults: { hangBeforeHeaders: true } });
    const answer = connector.stream(makeCall())[Symbol.asyncIterator]();
    void answer.next();
    await vi.waitFor(() => expect(llm.requests).toHaveLength(1));
    await answer.return?.();
    await vi.waitFor(() => expect(llm.requests[0]).toHaveProperty('closedEarlyAt'));
  });
});

describe('after the first token', () => {
  test.each([{ cutAfterChunks: 3 }, { errorAfterChunks: 3 }])('nothing is tried again: %j', async (faults) => {
    llm.script({ tokens: 9, intervalMs: 2, faults }, { tokens: 9 });
    const { text, error } = await ask();
    expect(text).toBe(numberTokens(3));
    expect(error?.code).toBe('provider_stream_broken');
    expect(llm.requests).toHaveLength(1);
    expect(await readFigure('lamb_retries_total')).toBe(0);
  });

  test('the consumer gets the very promises of the connector', async () => {
    const given: Promise<IteratorResult<readonly ModelEvent[]>>[] = [];
    const watched: Connector = {
      ...plain,
      stream: () => ({
        [Symbol.asyncIterator]: () => ({
          next() {
            const step = Promise.resolve({ done: false as const, value: [{ type: 'text' as const, text: 'x' }] });
            given.push(step);
            return step;
          },
        }),
      }),
    };
    const answer = withResilience(watched, createResilience({ metrics: createMetrics() }))
      .stream(makeCall())
      [Symbol.asyncIterator]();
    await answer.next();
    const taken = Array.from({ length: 3 }, () => answer.next());
    expect(taken.map((step, index) => step === given[index + 1])).toEqual([true, true, true]);
  });
});

describe('the retry budget', () => {
  test('of a hundred calls to a provider that limits them all, at most twenty are made again', async () => {
    llm.script({ faults: { status: 429 }, times: 'always' });
    for (let calls = 0; calls < 100; calls += 1) await ask();
    const retries = await readFigure('lamb_retries_total');
    expect(retries).toBeGreaterThan(10);
    expect(retries).toBeLessThanOrEqual(20);
    expect(llm.requests).toHaveLength(100 + retries);
  });

  test('holds for calls at the same time', async () => {
    llm.script({ faults: { status: 429 }, times: 'always' });
    await Promise.all(Array.from({ length: 100 }, () => ask()));
    expect(await readFigure('lamb_retries_total')).toBeLessThanOrEqual(20);
  });

  test('is there again after a minute', async () => {
    llm.script({ faults: { status: 429 }, times: 'always' });
    for (let calls = 0; calls < 4; calls += 1) await ask();
    expect(await readFigure('lamb_retries_total')).toBe(2);
    time += 60_000;
    await ask();
    expect(await readFigure('lamb_retries_total')).toBe(4);
  });
});

describe('the breaker', () => {
  test('of a hundred calls to a dead provider few reach it, and the rest are told when to come again', async () => {
    llm.script(failing);
    const answers: Answer[] = [];
    for (let calls = 0; calls < 100; calls += 1) answers.push(await ask());
    expect(llm.requests).toHaveLength(5);
    expect(await readFigure('lamb_retries_total')).toBeLessThanOrEqual(20);
    expect(await readFigure('lamb_breaker_openings_total')).toBe(1);
    expect(await readFigure('lamb_breakers', 'open')).toBe(1);
    expect(await readFigure('lamb_breaker_refusals_total')).toBe(97);
    expect(answers[0]?.error).toMatchObject({ code: 'provider_unavailable', details: { provider_status: 500 } });
    expect(answers.at(-1)?.error).toMatchObject({
      code: 'provider_unavailable',
      message: 'The model provider is paused for 5 seconds after repeated failures.',
      details: { retry_after: 5 },
    });
  });

  test('opens also when half of the answers get through', async () => {
    llm.script(({ id }) => (id % 3 === 0 ? { tokens: 1 } : { faults: { status: 500 } }));
    for (let calls = 0; calls < 30; calls += 1) await ask();
    expect(await readFigure('lamb_breaker_openings_total')).toBe(1);
  });

  test('lets one call try when the pause is over, refuses the others meanwhile, and closes when it is answered', async () => {
    await pauseProvider();
    llm.script({ firstDelayMs: 50, tokens: 5 });
    time += 4_999;
    expect((await ask()).error?.details).toEqual({ retry_after: 1 });
    time += 1;
    const probe = ask();
    const others = await Promise.all([ask(), ask(), ask()]);
    expect(await readFigure('lamb_breakers', 'half_open')).toBe(1);
    for (const { error } of others) expect(error?.details).toEqual({ retry_after: 2 });
    expect((await probe).text).toBe(numberTokens(5));
    expect(llm.requests).toHaveLength(1);
    expect(await readFigure('lamb_breakers', 'closed')).toBe(1);
    expect((await ask()).error).toBeUndefined();
  });

  test('pauses longer each time the provider is still down, and tries it once each time', async () => {
    await pauseProvider();
    llm.script(failing);
    for (const [tried, seconds] of [5, 10, 20, 40, 60, 60].entries()) {
      expect((await ask()).error?.details).toEqual({ retry_after: seconds });
      time += seconds * 1000;
      expect((await ask()).error?.details).toMatchObject({ provider_status: 500 });
      expect(llm.requests).toHaveLength(tried + 1);
    }
  });

  test('stays open when the one that tried left without an answer', async () => {
    await pauseProvider();
    time += 5_000;
    llm.script({ faults: { hangBeforeHeaders: true }, times: 'always' });
    await askAndLeave();
    expect((await ask()).error?.details).toEqual({ retry_after: 10 });
  });

  test('does not hold it against a provider when people leave, unless they waited long', async () => {
    llm.script({ faults: { hangBeforeHeaders: true }, times: 'always' });
    for (let calls = 0; calls < 8; calls += 1) await askAndLeave();
    expect(await readFigure('lamb_breaker_openings_total')).toBe(0);
    for (let calls = 0; calls < 5; calls += 1) await askAndLeave(30_000);
    expect(await readFigure('lamb_breaker_openings_total')).toBe(1);
  });

  test('of one organisation’s provider leaves another’s alone, at the same address too', async () => {
    await pauseProvider({ organizationId: 'north' });
    expect((await ask({ organizationId: 'north' })).error).toBeDefined();
    expect((await ask({ organizationId: 'south' })).error).toBeUndefined();
  });
});

/** Asks, and leaves when the provider has the request and this much time has passed. */
async function askAndLeave(afterMs = 0): Promise<void> {
  const before = llm.requests.length;
  const turn = new AbortController();
  const answer = connector
    .stream(makeCall({ signal: turn.signal }))
    [Symbol.asyncIterator]()
    .next();
  await vi.waitFor(() => expect(llm.requests).toHaveLength(before + 1), { interval: 5 });
  time += afterMs;
  turn.abort(new Error('left'));
  await expect(answer).rejects.toThrow('left');
}

test('figures name kinds and connectors, never addresses or organisations', async () => {
  await pauseProvider();
  const text = await metrics.registry.metrics();
  expect(text).toContain('lamb_breakers{kind="provider",connector="openai",state="open"} 1');
  expect(text).toContain('lamb_breaker_openings_total{kind="provider",connector="openai"} 1');
  for (const secret of ['127.0.0.1', 'north', 'sk-test']) expect(text).not.toContain(secret);
});

test('the targets that are remembered are bounded', async () => {
  const silent = {
    ...plain,
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(over) }) }),
  };
  const many = withResilience(silent, createResilience({ metrics: (metrics = createMetrics()) }));
  for (let index = 0; index < 2_100; index += 1) await ask({ organizationId: `organisation ${index}` }, many);
  expect(await readFigure('lamb_breakers')).toBe(2_000);
});
const over = { done: true as const, value: undefined };
