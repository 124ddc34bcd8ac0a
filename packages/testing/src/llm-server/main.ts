import { parseArgs } from 'node:util';
import { runAsProcess } from '../http/run-as-process.ts';
import { startLlmServer } from './start-llm-server.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    key: { type: 'string' },
    models: { type: 'string' },
    tokens: { type: 'string', default: '10' },
    'interval-ms': { type: 'string', default: '0' },
    'first-delay-ms': { type: 'string', default: '0' },
  },
});

runAsProcess(
  await startLlmServer({
    port: Number(values.port),
    ...(values.key === undefined ? {} : { key: values.key }),
    ...(values.models === undefined ? {} : { models: values.models.split(',') }),
    defaultReply: {
      tokens: Number(values.tokens),
      intervalMs: Number(values['interval-ms']),
      firstDelayMs: Number(values['first-delay-ms']),
      prebuilt: true,
    },
  }),
);
