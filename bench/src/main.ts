import { parseArgs } from 'node:util';
import { benchEvents } from './events/bench-events.ts';
import { benchRetrieval } from './retrieval/bench-retrieval.ts';
import { benchRuns } from './runs/bench-runs.ts';
import { benchStore } from './store/bench-store.ts';
import { benchStream } from './stream/bench-stream.ts';
import { benchTurn } from './turn/bench-turn.ts';

const benches: Record<string, (options: { isSmoke: boolean }) => Promise<string>> = {
  events: benchEvents,
  retrieval: benchRetrieval,
  runs: benchRuns,
  store: benchStore,
  stream: benchStream,
  turn: benchTurn,
};

const { values, positionals } = parseArgs({
  options: { smoke: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const name = positionals[0] ?? '';
const bench = benches[name];
if (!bench) {
  process.stderr.write(`Usage: npm run bench -- <${Object.keys(benches).join(' | ')}> [--smoke]\n`);
  process.exit(2);
}
process.stdout.write(`${await bench({ isSmoke: values.smoke })}\n`);
process.exit(0);
