import { parseArgs } from 'node:util';
import { runAsProcess } from '../http/run-as-process.ts';
import { startKbServer } from './start-kb-server.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    token: { type: 'string', default: 'kb-token' },
    older: { type: 'boolean', default: false },
  },
});

runAsProcess(
  await startKbServer({
    port: Number(values.port),
    token: values.token,
    hitsKey: values.older ? 'documents' : 'results',
  }),
);
