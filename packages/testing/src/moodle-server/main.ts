import { parseArgs } from 'node:util';
import { runAsProcess } from '../http/run-as-process.ts';
import { startMoodleServer } from './start-moodle-server.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, token: { type: 'string', default: 'moodle-token' } },
});

runAsProcess(await startMoodleServer({ port: Number(values.port), token: values.token }));
