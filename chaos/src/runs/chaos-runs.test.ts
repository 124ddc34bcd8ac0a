import { expect, test } from 'vitest';
import { chaosRuns } from './chaos-runs.ts';

const TIMEOUT_MS = 180_000;

async function listBroken(plants: string[]): Promise<string[]> {
  const lines: string[] = [];
  const findings = await chaosRuns({
    // The tool takes its process down in run 5.
    runs: 8,
    kills: 0,
    seed: 3,
    databaseRestarts: 0,
    plants,
    say: (line) => lines.push(line),
  });
  const broken = findings.filter(({ holds }) => !holds).map(({ name }) => name.slice(0, 2));
  expect(lines.filter((line) => line.startsWith('FAIL')).map((line) => line.slice(5, 7))).toEqual(broken);
  return broken;
}

test(
  'repeated effects, lost tokens, lost messages, unbooked usage and crashes are seen',
  { timeout: TIMEOUT_MS },
  async () => {
    expect(await listBroken(['I1', 'I2', 'I3', 'I6', 'I7'])).toEqual(['I1', 'I2', 'I3', 'I6', 'I7']);
  },
);

test('runs that nobody takes over are seen', { timeout: TIMEOUT_MS }, async () => {
  expect(await listBroken(['I5'])).toContain('I5');
});
