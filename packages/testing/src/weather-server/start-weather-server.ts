import { readArray } from '../http/read-json.ts';
import { startFaultyServer, type FaultyServer } from '../http/start-faulty-server.ts';
import { answerWeatherRequest, describeWeatherError, type WeatherPlace } from './answer-weather-request.ts';

export interface WeatherServerOptions {
  /** Default: a free one. */
  port?: number;
  /** Places beside Bilbao, where it is 18.4 °C. */
  places?: WeatherPlace[];
}

export interface WeatherServer extends FaultyServer {
  geocodingUrl: string;
  forecastUrl: string;
  addPlace(place: WeatherPlace): void;
}

const bilbao: WeatherPlace = {
  name: 'Bilbao',
  latitude: 43.26271,
  longitude: -2.92528,
  country: 'Spain',
  admin1: 'Basque Country',
  timezone: 'Europe/Madrid',
  current: {
    temperature_2m: 18.4,
    apparent_temperature: 17.9,
    relative_humidity_2m: 71,
    precipitation: 0.2,
    weather_code: 61,
    wind_speed_10m: 12.3,
    is_day: 1,
  },
};

/** Starts Open-Meteo's geocoding and forecast on one address. A reset keeps its places. */
export async function startWeatherServer(options: WeatherServerOptions = {}): Promise<WeatherServer> {
  const places = [bilbao, ...(options.places ?? [])];
  const server = await startFaultyServer({
    port: options.port,
    describeError: (status) => describeWeatherError(`Scripted error ${status}.`),
    answer: ({ path, query }) => answerWeatherRequest(places, path, query),
    control(path, body) {
      if (path !== '/__places') return undefined;
      places.push(...(readArray(body) as WeatherPlace[]));
      return { status: 200, body: { places: places.length } };
    },
  });
  return {
    ...server,
    geocodingUrl: `${server.url}/v1/search`,
    forecastUrl: `${server.url}/v1/forecast`,
    addPlace: (place) => void places.push(place),
  };
}
