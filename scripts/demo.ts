import { createTestDatabase, startCluster, startLlmServer } from '@lamb/testing';
import { migrateRuns } from '@lamb/runs';
import { migrate } from '@lamb/store';
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createApp } from '../apps/server/src/app.ts';
import { compose } from '../apps/server/src/compose.ts';
import { readConfig } from '../apps/server/src/config.ts';
import { startRuns } from '../apps/server/src/runs/start-runs.ts';
import { answerAsDemoModel } from './demo/answer-as-demo-model.ts';
import { buildWeb } from './demo/build-web.ts';
import { describeDemo } from './demo/describe-demo.ts';
import { fillDemo } from './demo/fill-demo.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '9099' } } });
const say = (text: string) => process.stdout.write(`${text}\n`);

say('Starting a throw-away database …');
const cluster = await startCluster();
const database = await createTestDatabase({
  clusterUrl: cluster.adminUrl,
  prepare: async (ownerUrl) => {
    await migrate(ownerUrl);
    await migrateRuns(ownerUrl);
  },
});
const llm = await startLlmServer();
llm.script(answerAsDemoModel);
const services = compose(
  readConfig({
    DATABASE_URL: database.appUrl,
    LAMB_PORT: values.port,
    LAMB_PUBLIC_URL: `http://127.0.0.1:${values.port}`,
    LAMB_AUTH_SECRET: randomBytes(32).toString('base64'),
    LAMB_SECRET_KEYS: `demo:${randomBytes(32).toString('base64')}`,
    LAMB_OUTBOUND_ALLOW: new URL(llm.url).host,
    LAMB_LOG_LEVEL: 'warn',
  }),
);
await buildWeb(services.config.webFolder, say);
const runs = await startRuns(services);
const app = await createApp({ ...services, runs });
const address = await app.listen({ host: '127.0.0.1', port: Number(values.port) });
say('Filling two organisations …');
const demo = await fillDemo(services, { address, llm });
say(describeDemo(address, demo));

async function stop(): Promise<void> {
  say('\nStopping; the demo’s data goes with it.');
  await app.close();
  await runs.close();
  await services.close();
  await llm.stop();
  await cluster.stop();
}

process.once('SIGINT', () => void stop());
process.once('SIGTERM', () => void stop());
