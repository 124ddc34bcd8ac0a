import { ToolFailure, type FetchedReply, type ToolHost } from '@lamb/plugin-kit';
import { createTestHost, describeTool } from '@lamb/plugin-kit/conformance';
import { startWeatherServer, type WeatherServer } from '@lamb/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createWeather } from './weather.ts';

let server: WeatherServer;

beforeAll(async () => {
  server = await startWeatherServer();
});
beforeEach(() => {
  server.reset();
});
afterAll(() => server.stop());

const fetchReply = async (url: string, signal: AbortSignal): Promise<FetchedReply> => {
  const reply = await fetch(url, { signal });
  return { status: reply.status, text: await reply.text() };
};
const host: ToolHost = createTestHost({
  // The tool is declared before the server has an address.
  fetch: (url, signal) => fetchReply(`${server.url}${new URL(url).pathname}${new URL(url).search}`, signal),
});

describeTool(createWeather(), {
  validConfigs: [{}],
  invalidConfigs: [{ config: 'Bilbao', path: '' }],
  host,
  validArguments: [{ city: 'Bilbao' }, { city: ' bilbao ' }],
  invalidArguments: [
    { arguments: {}, path: 'city' },
    { arguments: { city: ' ' }, path: 'city' },
    { arguments: { city: 'x'.repeat(101) }, path: 'city' },
    { arguments: { city: ['Bilbao'] }, path: 'city' },
  ],
});

async function call(city: string) {
  const { geocodingUrl, forecastUrl } = server;
  return createWeather({ geocodingUrl, forecastUrl }).function?.run({
    config: {},
    arguments: { city },
    idempotencyKey: 'k',
    host: createTestHost({ fetch: fetchReply }),
    signal: new AbortController().signal,
  });
}

test('it tells the weather of the city that was found', async () => {
  expect(await call('bilbao')).toEqual({
    content:
      'Weather in Bilbao, Basque Country, Spain at 2026-03-02T14:15 (Europe/Madrid): light rain, 18.4 °C, ' +
      'feels like 17.9 °C, humidity 71 %, precipitation 0.2 mm, wind 12.3 km/h.',
    sources: [{ title: 'Open-Meteo', kind: 'web', url: 'https://open-meteo.com/' }],
  });
  expect(server.requests.map(({ path, query }) => ({ path, query }))).toMatchObject([
    { path: '/v1/search', query: { name: 'bilbao', count: '1' } },
    { path: '/v1/forecast', query: { latitude: '43.26271', longitude: '-2.92528', timezone: 'auto' } },
  ]);
});

test('a city that is not there is an answer to the model, and its name no part of the problem', async () => {
  expect(await call('Atlantis&count=9')).toEqual({
    content: 'There is no city “Atlantis&count=9”. Ask the person which one they mean.',
    error: 'The city was not found.',
  });
  expect(server.requests.map(({ query }) => query)).toMatchObject([{ name: 'Atlantis&count=9', count: '1' }]);
});

test.each([
  ['/v1/search', { status: 500 }, 'The weather service answered with status 500.'],
  ['/v1/forecast', { status: 429 }, 'The weather service answered with status 429.'],
  ['/v1/forecast', { garbage: true }, 'The weather service gave an answer that cannot be read.'],
])('a failure of %s is told: %o', async (path, fault, message) => {
  server.fail({ path, ...fault });
  await expect(call('Bilbao')).rejects.toEqual(new ToolFailure(message));
});
