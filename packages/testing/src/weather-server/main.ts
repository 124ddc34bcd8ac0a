import { parseArgs } from 'node:util';
import { runAsProcess } from '../http/run-as-process.ts';
import { startWeatherServer } from './start-weather-server.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });

runAsProcess(await startWeatherServer({ port: Number(values.port) }));
