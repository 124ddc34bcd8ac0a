import type { RunEvent } from '@lamb/contract';
import { startWeatherServer, type LlmReply, type WeatherServer } from '@lamb/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { createAssistant } from './__fixtures__/create-assistant.ts';
import { streamCompletion } from './__fixtures__/stream-completion.ts';

let lamb: TestServer;
let weather: WeatherServer;
const assistants = new Map<string, { id: number; model: string }>();
const QUESTION = 'what is the weather in Bilbao';
const RAIN = 'Weather in Bilbao, Basque Country, Spain at 2026-03-02T14:15 (Europe/Madrid): light rain, 18.4 °C';

beforeAll(async () => {
  weather = await startWeatherServer();
  lamb = await startTestServer({
    LAMB_WEATHER_GEOCODING_URL: weather.geocodingUrl,
    LAMB_WEATHER_FORECAST_URL: weather.forecastUrl,
    LAMB_OUTBOUND_ALLOW: new URL(weather.url).host,
  });
  for (const connector of ['openai', 'ollama']) {
    assistants.set(
      connector,
      await createAssistant(lamb, lamb.north.teacher, {
        name: `Tools on ${connector}`,
        system_prompt: 'You help.',
        // As the older system writes it.
        metadata: {
          prompt_processor: 'simple_augment',
          connector,
          llm: connector === 'openai' ? 'gpt-4.1' : 'llama3.2:latest',
          rag_processor: 'no_rag',
          tools: ['weather', 'moodle'],
          capabilities: { vision: false },
          limits: { max_iterations: 3, max_calls: 6 },
        },
        published: true,
      }),
    );
  }
});
afterAll(async () => {
  await lamb.stop();
  await weather.stop();
});
beforeEach(() => {
  lamb.llm.reset();
  weather.reset();
});

const modelOf = (connector: string) => assistants.get(connector)?.model ?? '';
const question = [{ role: 'user', content: QUESTION }];

async function readEvents(runId: string): Promise<RunEvent[]> {
  const response = await fetch(`${lamb.url}/lamb/v1/runs/${runId}/events`, {
    headers: { authorization: `Bearer ${lamb.north.student.key}`, accept: 'application/json' },
  });
  return ((await response.json()) as { events: RunEvent[] }).events;
}

/** What happened, without what differs from run to run: numbers, times, ids, the sizes of pieces of text, and who of those side by side was first. */
function tell(events: readonly RunEvent[]): Record<string, unknown>[] {
  const names = new Map<string, string>();
  const told: (Record<string, unknown> & { step: string })[] = [];
  for (const { run_id: _run, seq: _seq, time: _time, ...event } of events) {
    if (event.type === 'call.requested') names.set(event.call_id, `c${String(names.size + 1)}`);
    const step = event.step.replace(/^call:(.*)$/, (_whole, id: string) => `call:${names.get(id) ?? id}`);
    const last = told.at(-1);
    if (event.type === 'text.delta' && last?.['type'] === 'text.delta' && last.step === step) {
      last['text'] = `${String(last['text'])}${event.text}`;
      continue;
    }
    const call = 'call_id' in event ? { call_id: names.get(event.call_id) } : {};
    told.push({ ...event, ...call, ...('milliseconds' in event ? { milliseconds: 0 } : {}), step });
  }
  const isCall = ({ step }: { step: string }) => step.startsWith('call:');
  return told
    .map((event, index) => ({ event, index }))
    .sort((left, right) => {
      const between = told.slice(Math.min(left.index, right.index), Math.max(left.index, right.index) + 1);
      return (between.every(isCall) && left.event.step.localeCompare(right.event.step)) || left.index - right.index;
    })
    .map(({ event }) => event);
}

/** Plays a script twice, streaming and not, and checks that both tell and say the same. */
async function play(connector: string, ...script: LlmReply[]) {
  const asked = (): { messages: { role: string; content: unknown }[]; tools?: unknown[] }[] =>
    lamb.llm.requests.map(({ body }) => body as { messages: { role: string; content: unknown }[]; tools?: unknown[] });
  lamb.llm.script(...script);
  const streamed = await streamCompletion(lamb, lamb.north.student, {
    model: modelOf(connector),
    messages: question,
    stream_options: { include_usage: true },
  });
  expect({ status: streamed.status, done: streamed.done }, streamed.raw).toEqual({ status: 200, done: true });
  const first = asked();
  lamb.llm.reset();
  lamb.llm.script(...script);
  const whole = await lamb.call(lamb.north.student, 'POST', '/v1/chat/completions', {
    model: modelOf(connector),
    messages: question,
  });
  expect(whole.status, whole.text).toBe(200);
  const reply = whole.body as {
    choices: { message: { content: string }; finish_reason: string }[];
    usage: unknown;
    lamb: { run_id: string; sources: unknown[] };
  };
  const second = asked();
  expect(reply.choices[0]?.message.content).toBe(streamed.text);
  expect(streamed.chunks.at(-1)?.usage).toEqual(reply.usage);
  expect(streamed.chunks.flatMap(({ choices }) => choices?.[0]?.finish_reason ?? [])).toEqual([
    reply.choices[0]?.finish_reason,
  ]);
  const events = await readEvents(reply.lamb.run_id);
  const streamedEvents = await readEvents(streamed.events[0]?.run_id ?? '');
  expect(tell(streamedEvents)).toEqual(tell(events));
  expect(second.map(({ messages }) => messages.map(({ role, content }) => [role, content]))).toEqual(
    first.map(({ messages }) => messages.map(({ role, content }) => [role, content])),
  );
  const results = (second.at(-1)?.messages ?? []).flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
  const outcomes = events.flatMap((event) => (event.type === 'call.finished' ? [event.outcome] : []));
  return { text: streamed.text, events, results, outcomes, requests: second, finish: reply.choices[0]?.finish_reason };
}

const getWeather = (city: string, id?: string) => ({
  name: 'get_weather',
  arguments: { city },
  ...(id === undefined ? {} : { id }),
});

describe.each(['openai', 'ollama'])('functions on %s', (connector) => {
  test('the weather in Bilbao: one call and one final turn', async () => {
    const { text, events, results, requests, finish } = await play(
      connector,
      { toolCalls: [getWeather('Bilbao')] },
      { text: 'It rains lightly at 18.4 °C.' },
    );
    expect(text).toBe('It rains lightly at 18.4 °C.');
    expect(finish).toBe('stop');
    expect(requests).toHaveLength(2);
    expect(results).toEqual([expect.stringContaining(RAIN)]);
    const names = requests.map(({ tools }) =>
      (tools as { function: { name: string } }[] | undefined)?.map((tool) => tool.function.name),
    );
    expect(names).toEqual([
      ['get_weather', 'get_moodle_courses'],
      ['get_weather', 'get_moodle_courses'],
    ]);
    expect(
      tell(events).map(({ type, step, text: said }) =>
        [step, type, said].filter((part) => typeof part === 'string').join(' '),
      ),
    ).toEqual([
      'context run.started',
      'context prompt.rendered',
      'model:1 usage',
      'model:1 call.requested',
      'call:c1 status calling weather',
      'call:c1 call.finished',
      'call:c1 source',
      'call:c1 status weather completed',
      'model:2 text.delta It rains lightly at 18.4 °C.',
      'model:2 usage',
      'model:2 run.finished',
    ]);
  });

  test('text that comes with a call reaches the client, before the answer', async () => {
    const { text, requests } = await play(
      connector,
      { text: 'Let me look. ', toolCalls: [getWeather('Bilbao')] },
      { text: 'It rains.' },
    );
    expect(text).toBe('Let me look. It rains.');
    expect(requests[1]?.messages.at(-2)).toMatchObject({ role: 'assistant', content: 'Let me look. ' });
  });

  test('several calls at once run side by side and are answered in order', async () => {
    weather.addPlace({ ...place, name: 'Gasteiz' });
    // The first one takes longest.
    weather.fail({ path: '/v1/forecast', delayMs: 150 });
    const { results, outcomes } = await play(
      connector,
      { toolCalls: [getWeather('Bilbao'), getWeather('Gasteiz'), getWeather('Nowhere at all')] },
      { text: 'Rain everywhere.' },
    );
    expect(results).toEqual([
      expect.stringContaining('Weather in Bilbao'),
      expect.stringContaining('Weather in Gasteiz'),
      expect.stringContaining('There is no city “Nowhere at all”'),
    ]);
    expect(outcomes.toSorted()).toEqual(['done', 'done', 'failed']);
  });

  test('arguments that were wrong are mended', async () => {
    const { results, outcomes, text } = await play(
      connector,
      { toolCalls: [{ name: 'get_weather', arguments: { town: 'Bilbao' } }] },
      { toolCalls: [getWeather('Bilbao')] },
      { text: 'It rains.' },
    );
    expect(results).toEqual([expect.stringMatching(/not valid. city:/), expect.stringContaining(RAIN)]);
    expect(outcomes).toEqual(['failed', 'done']);
    expect(text).toBe('It rains.');
  });

  test('a function that is not there, or is written otherwise, is answered with those that are', async () => {
    const { results, outcomes } = await play(
      connector,
      {
        toolCalls: ['get_wether', 'Get_Weather', 'gеt_weather'].map((name) => ({
          name,
          arguments: { city: 'Bilbao' },
        })),
      },
      { text: 'I cannot.' },
    );
    for (const told of results) {
      expect(told).toMatch(/^There is no function “.*”. Known: get_weather, get_moodle_courses.$/);
    }
    expect(outcomes).toEqual(['refused', 'refused', 'refused']);
    expect(weather.requests).toEqual([]);
  });

  test('the same call is made twice and not a third time', async () => {
    const again = { toolCalls: [getWeather('Bilbao')] };
    const { outcomes, results, text } = await play(connector, again, again, again, { text: 'Still rain.' });
    expect(outcomes).toEqual(['done', 'done', 'refused']);
    expect(results.at(-1)).toMatch(/already made twice/);
    expect(text).toBe('Still rain.');
  });

  test('more calls than allowed are refused', async () => {
    const { outcomes, text } = await play(
      connector,
      { toolCalls: Array.from({ length: 8 }, (_, index) => getWeather(`Nowhere ${String(index)}`)) },
      { text: 'Too many.' },
    );
    expect(outcomes.toSorted()).toEqual([...Array<string>(6).fill('failed'), 'refused', 'refused']);
    expect(text).toBe('Too many.');
  });

  test('at the iteration limit the model answers without functions, and what it still calls is not done', async () => {
    const script = [1, 2, 3, 4].map((turn) => ({
      text: `Turn ${String(turn)}. `,
      toolCalls: [getWeather(`Nowhere ${String(turn)}`)],
    }));
    const { requests, outcomes, text, finish } = await play(connector, ...script);
    expect(requests.map(({ tools }) => tools !== undefined)).toEqual([true, true, true, false]);
    expect(outcomes).toHaveLength(3);
    expect(text).toBe('Turn 1. Turn 2. Turn 3. Turn 4. ');
    expect(finish).toBe('stop');
  });

  test('a service that answers nonsense is told to the model, and the turn goes on', async () => {
    weather.fail({ path: '/v1/search', garbage: true, times: 'always' });
    const { results, outcomes, text } = await play(
      connector,
      { toolCalls: [getWeather('Bilbao')] },
      { text: 'No idea.' },
    );
    expect(results).toEqual([expect.stringContaining('cannot be read')]);
    expect({ outcomes, text }).toEqual({ outcomes: ['failed'], text: 'No idea.' });
  });

  test('a tool that is not set up says so', async () => {
    const { outcomes, text } = await play(
      connector,
      { toolCalls: [{ name: 'get_moodle_courses', arguments: {} }] },
      { text: 'No Moodle here.' },
    );
    expect({ outcomes, text }).toEqual({ outcomes: ['failed'], text: 'No Moodle here.' });
  });

  test('an answer without calls is one turn', async () => {
    const { requests, text } = await play(connector, { text: 'Hello.' });
    expect({ turns: requests.length, text }).toEqual({ turns: 1, text: 'Hello.' });
  });
});

const place = {
  name: 'Gasteiz',
  latitude: 42.85,
  longitude: -2.67,
  country: 'Spain',
  admin1: 'Basque Country',
  timezone: 'Europe/Madrid',
  current: {
    temperature_2m: 12,
    apparent_temperature: 11,
    relative_humidity_2m: 80,
    precipitation: 0,
    weather_code: 3,
    wind_speed_10m: 5,
    is_day: 1,
  },
};

describe('what only OpenAI’s wire can send', () => {
  test.each(['missing', 'duplicate'] as const)('calls with %s ids are kept apart', async (toolCallIds) => {
    const { results } = await play(
      'openai',
      { toolCalls: [getWeather('Bilbao'), getWeather('Nowhere')], faults: { toolCallIds } },
      { text: 'So.' },
    );
    expect(results).toEqual([expect.stringContaining(RAIN), expect.stringContaining('There is no city “Nowhere”')]);
  });

  test('half of the arguments is told to the model', async () => {
    const { results } = await play(
      'openai',
      { toolCalls: [getWeather('Bilbao')], faults: { truncateToolArguments: true } },
      { text: 'So.' },
    );
    expect(results).toEqual(['The arguments are not valid JSON. Send one JSON object.']);
  });

  test('a megabyte of arguments is refused, and the turn goes on', async () => {
    const { results, text } = await play(
      'openai',
      { toolCalls: [getWeather('x'.repeat(1_000_000))], faults: { eventsPerWrite: 5000 } },
      { text: 'So.' },
    );
    expect(results).toEqual([expect.stringMatching(/too long/)]);
    expect(text).toBe('So.');
  });
});
