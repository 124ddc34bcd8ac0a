import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawnWeatherServer } from './spawn-weather-server.ts';
import { startWeatherServer, type WeatherServer } from './start-weather-server.ts';

let weather: WeatherServer;

beforeAll(async () => {
  weather = await startWeatherServer();
});
afterAll(() => weather.stop());

async function get(url: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
}

test('finds a city, and says nothing of one that it does not know', async () => {
  expect(await get(`${weather.geocodingUrl}?name=bilbao&count=1`)).toMatchObject({
    status: 200,
    body: { results: [{ name: 'Bilbao', country: 'Spain', latitude: 43.26271, longitude: -2.92528 }] },
  });
  expect(await get(`${weather.geocodingUrl}?name=Atlantis&count=1`)).toEqual({
    status: 200,
    body: { generationtime_ms: 0.5 },
  });
});

test('tells the current values that were asked for, with their units', async () => {
  const place = 'latitude=43.26271&longitude=-2.92528';
  const { body } = await get(`${weather.forecastUrl}?${place}&current=temperature_2m,weather_code&timezone=auto`);
  expect(body).toMatchObject({
    timezone: 'Europe/Madrid',
    current_units: { time: 'iso8601', interval: 'seconds', temperature_2m: '°C', weather_code: 'wmo code' },
    current: { interval: 900, temperature_2m: 18.4, weather_code: 61 },
  });
});

test('tells errors as Open-Meteo does', async () => {
  expect(await get(weather.forecastUrl)).toMatchObject({ status: 400, body: { error: true } });
  expect(await get(weather.geocodingUrl)).toMatchObject({ status: 400, body: { error: true } });
  weather.fail({ path: '/forecast', status: 500 });
  expect((await get(`${weather.geocodingUrl}?name=Bilbao`)).status).toBe(200);
  expect(await get(weather.forecastUrl)).toEqual({
    status: 500,
    body: { error: true, reason: 'Scripted error 500.' },
  });
});

test('runs as a process', async () => {
  const spawned = await spawnWeatherServer();
  try {
    expect((await get(`${spawned.url}/v1/search?name=Bilbao`)).status).toBe(200);
  } finally {
    await spawned.stop();
  }
});
