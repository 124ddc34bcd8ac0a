import { parseArgs } from 'node:util';
import { benchEvents } from './events/bench-events.ts';
import { benchIngest } from './ingest/bench-ingest.ts';
import { benchRetrievalQuality } from './retrieval-quality/bench-retrieval-quality.ts';
import { benchRetrieval } from './retrieval/bench-retrieval.ts';
import { benchRuns } from './runs/bench-runs.ts';
import { benchStore } from './store/bench-store.ts';
import { benchStream } from './stream/bench-stream.ts';
import { benchTurn } from './turn/bench-turn.ts';

const benches: Record<string, (options: { isSmoke: boolean; data?: string }) => Promise<string>> = {
  events: benchEvents,
  ingest: benchIngest,
  retrieval: benchRetrieval,
  'retrieval-quality': benchRetrievalQuality,
  runs: benchRuns,
  store: benchStore,
  stream: benchStream,
  turn: benchTurn,
};

const { values, positionals } = parseArgs({
  options: { smoke: { type: 'boolean', default: false }, data: { type: 'string' } },
  allowPositionals: true,
});
const name = positionals[0] ?? '';
const bench = benches[name];
if (!bench) {
  process.stderr.write(`Usage: npm run bench -- <${Object.keys(benches).join(' | ')}> [--smoke] [--data <folder>]\n`);
  process.exit(2);
}
process.stdout.write(
  `${await bench({ isSmoke: values.smoke, ...(values.data !== undefined && { data: values.data }) })}\n`,
);
process.exit(0);
