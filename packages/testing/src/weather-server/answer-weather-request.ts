import type { Answer } from '../http/start-faulty-server.ts';

/** A place with its weather. */
export interface WeatherPlace {
  name: string;
  latitude: number;
  longitude: number;
  country: string;
  admin1?: string;
  timezone?: string;
  /** By the names of Open-Meteo's variables, such as `temperature_2m`. */
  current: Record<string, number>;
}

const units: Readonly<Record<string, string>> = {
  temperature_2m: '°C',
  apparent_temperature: '°C',
  relative_humidity_2m: '%',
  precipitation: 'mm',
  weather_code: 'wmo code',
  wind_speed_10m: 'km/h',
  is_day: '',
};

/** Open-Meteo's `/v1/search` and `/v1/forecast`. */
export function answerWeatherRequest(places: readonly WeatherPlace[], path: string, query: URLSearchParams): Answer {
  if (path === '/v1/search') return findPlaces(places, query);
  if (path === '/v1/forecast') return forecast(places, query);
  return { status: 404, body: describeWeatherError('Not Found') };
}

/** An error as Open-Meteo tells it. */
export function describeWeatherError(reason: string) {
  return { error: true, reason };
}

function findPlaces(places: readonly WeatherPlace[], query: URLSearchParams): Answer {
  const name = query.get('name');
  if (name === null) return refuse("Value of type 'String' required for key 'name'.");
  const count = Number(query.get('count') ?? 10);
  if (!Number.isInteger(count) || count < 1 || count > 100) return refuse('Parameter count must be between 1 and 100.');
  const found = places.filter((place) => fold(place.name) === fold(name)).slice(0, count);
  const results = found.map(({ current: _current, timezone = 'GMT', ...place }, index) => ({
    id: 3_000_000 + index,
    ...place,
    elevation: 20,
    feature_code: 'PPLA2',
    country_code: place.country.slice(0, 2).toUpperCase(),
    timezone,
    population: 350_000,
  }));
  // Without a match there is no `results` at all.
  return ok({ ...(results.length === 0 ? {} : { results }), generationtime_ms: 0.5 });
}

function forecast(places: readonly WeatherPlace[], query: URLSearchParams): Answer {
  const [latitude, longitude] = ['latitude', 'longitude'].map((name) => Number(query.get(name) ?? Number.NaN));
  if (latitude === undefined || longitude === undefined || Number.isNaN(latitude + longitude)) {
    return refuse("Parameter 'latitude' and 'longitude' must have the same number of elements.");
  }
  const names = (query.get('current') ?? '').split(',').filter((name) => name !== '');
  const unknown = names.find((name) => units[name] === undefined);
  if (unknown !== undefined) return refuse(`Cannot initialize WeatherVariable from invalid String value ${unknown}.`);
  const place = places.find((each) => each.latitude === latitude && each.longitude === longitude);
  const zone = query.get('timezone') === 'auto' ? (place?.timezone ?? 'GMT') : 'GMT';
  return ok({
    latitude,
    longitude,
    generationtime_ms: 0.08,
    utc_offset_seconds: 0,
    timezone: zone,
    timezone_abbreviation: 'GMT',
    elevation: 20,
    ...(names.length === 0
      ? {}
      : {
          current_units: {
            time: 'iso8601',
            interval: 'seconds',
            ...Object.fromEntries(names.map((name) => [name, units[name]])),
          },
          current: {
            time: '2026-03-02T14:15',
            interval: 900,
            ...Object.fromEntries(names.map((name) => [name, place?.current[name] ?? 0])),
          },
        }),
  });
}

function fold(text: string): string {
  return text.trim().toLowerCase();
}

function ok(body: unknown): Answer {
  return { status: 200, body };
}

function refuse(reason: string): Answer {
  return { status: 400, body: describeWeatherError(reason) };
}
