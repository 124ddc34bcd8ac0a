import { defineTool, ToolFailure, type Tool, type ToolHost } from '@lamb/plugin-kit';
import { z } from 'zod';
import { describeWeatherCode } from './describe-weather-code.ts';

interface WeatherAddresses {
  readonly geocodingUrl?: string | undefined;
  readonly forecastUrl?: string | undefined;
}

const Places = z.object({
  results: z
    .array(
      z.object({
        name: z.string(),
        latitude: z.number(),
        longitude: z.number(),
        admin1: z.string().optional(),
        country: z.string().optional(),
      }),
    )
    .optional(),
});

const Forecast = z.object({
  timezone: z.string(),
  current: z.object({
    time: z.string(),
    temperature_2m: z.number(),
    apparent_temperature: z.number(),
    relative_humidity_2m: z.number(),
    precipitation: z.number(),
    weather_code: z.number(),
    wind_speed_10m: z.number(),
  }),
});

/** Makes the tool that tells the current weather in a city, from Open-Meteo or a service that speaks as it does. */
export function createWeather({
  geocodingUrl = 'https://geocoding-api.open-meteo.com/v1/search',
  forecastUrl = 'https://api.open-meteo.com/v1/forecast',
}: WeatherAddresses = {}): Tool {
  return defineTool({
    name: 'weather',
    version: '1.0',
    category: 'utility',
    title: 'Weather',
    description: 'Lets the assistant look up the current weather in a city, at Open-Meteo.',
    config: z.object({}),
    function: {
      name: () => 'get_weather',
      description: () => 'Tells the current weather in a city: temperature, sky, humidity, rain and wind.',
      input: z.object({
        city: z.string().trim().min(1).max(100).meta({ description: 'The name of the city, such as Bilbao.' }),
      }),
      effect: 'none',
      async run({ arguments: { city }, host, signal }) {
        signal.throwIfAborted();
        const search = { name: city, count: '1', language: 'en', format: 'json' };
        const { results: [place] = [] } = await ask(host, geocodingUrl, search, Places, signal);
        if (!place) {
          return {
            content: `There is no city “${city}”. Ask the person which one they mean.`,
            error: 'The city was not found.',
          };
        }
        const wanted = {
          latitude: String(place.latitude),
          longitude: String(place.longitude),
          current: Object.keys(Forecast.shape.current.shape)
            .filter((name) => name !== 'time')
            .join(','),
          timezone: 'auto',
        };
        const forecast = await ask(host, forecastUrl, wanted, Forecast, signal);
        const where = [place.name, place.admin1, place.country].filter((part) => part !== undefined).join(', ');
        return {
          content: `Weather in ${where} at ${forecast.current.time} (${forecast.timezone}): ${describe(forecast.current)}.`,
          sources: [{ title: 'Open-Meteo', kind: 'web', url: 'https://open-meteo.com/' }],
        };
      },
    },
  });
}

async function ask<Schema extends z.ZodType>(
  host: ToolHost,
  address: string,
  parameters: Record<string, string>,
  schema: Schema,
  signal: AbortSignal,
): Promise<z.infer<Schema>> {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const { status, text } = await host.fetch(url.href, signal);
  if (status !== 200) throw new ToolFailure(`The weather service answered with status ${String(status)}.`);
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ToolFailure('The weather service gave an answer that cannot be read.', { cause });
  }
}

function describe(current: z.infer<typeof Forecast>['current']): string {
  return [
    describeWeatherCode(current.weather_code),
    `${String(current.temperature_2m)} °C`,
    `feels like ${String(current.apparent_temperature)} °C`,
    `humidity ${String(current.relative_humidity_2m)} %`,
    `precipitation ${String(current.precipitation)} mm`,
    `wind ${String(current.wind_speed_10m)} km/h`,
  ].join(', ');
}
