import { parseArgs } from 'node:util';
import { chaosRuns } from './runs/chaos-runs.ts';

const { values, positionals } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    kills: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    plant: { type: 'string', default: '' },
  },
  allowPositionals: true,
});
if (positionals[0] !== 'runs') {
  process.stderr.write('Usage: npm run chaos -- runs [--runs 200] [--kills 40] [--seed 1] [--plant I1]\n');
  process.exit(2);
}
const findings = await chaosRuns({
  runs: Number(values.runs),
  kills: Number(values.kills),
  seed: Number(values.seed),
  databaseRestarts: values.plant === '' ? 2 : 0,
  plants: values.plant === '' ? [] : values.plant.split(','),
  say: (line) => process.stdout.write(`${line}\n`),
});
process.exit(findings.every(({ holds }) => holds) ? 0 : 1);
