import { DBOS } from '@dbos-inc/dbos-sdk';
import { NamedStatementClient } from '@lamb/runs';
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { runMany } from './run-many.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    runs: { type: 'string', default: '0' },
    concurrent: { type: 'string', default: '1' },
    /** With the statements prepared, as LAMB has them. */
    tuned: { type: 'boolean', default: false },
  },
});

/** A workflow of as many steps as a run has (context, model, call, model), which do nothing. What durable runs are measured against. */
const workflow = DBOS.registerWorkflow(
  async (name: string) => {
    for (const step of ['context', 'model:1', 'call:1', 'model:2']) {
      await DBOS.runStep(() => Promise.resolve({ step, name }), { name: step });
    }
  },
  { name: 'bare' },
);

DBOS.setConfig({
  name: 'lamb',
  systemDatabaseUrl: values.url,
  ...(values.tuned
    ? { systemDatabasePool: new pg.Pool({ connectionString: values.url, max: 20, Client: NamedStatementClient }) }
    : { systemDatabasePoolSize: 20 }),
  runMigrations: false,
  executorID: randomUUID(),
  applicationVersion: 'bare',
  logLevel: 'error',
});
await DBOS.launch();
const runOne = async (): Promise<void> => {
  const handle = await DBOS.startWorkflow(workflow)('bench');
  await handle.getResult();
};
await runMany(200, Number(values.concurrent), runOne);
process.stdout.write(`${String(await runMany(Number(values.runs), Number(values.concurrent), runOne))}\n`);
await DBOS.shutdown();
process.exit(0);
