import { readConfig } from '../../apps/server/src/config.ts';
import { startServer } from '../../apps/server/src/start-server.ts';
import { createEffectTool } from './runs/create-effect-tool.ts';
import { plantBugs } from './runs/plant-bugs.ts';

// The real server with one tool more, whose effects can be counted. Everything else is the product's own.
const plants = (process.env['CHAOS_PLANTS'] ?? '').split(',');
plantBugs(plants);
await startServer(readConfig(process.env), {
  tools: [
    createEffectTool({
      ledgerUrl: process.env['CHAOS_LEDGER_URL'] ?? '',
      isRepeated: plants.includes('I1'),
    }),
  ],
});
