import { createTestHost, describeTool } from '@lamb/plugin-kit/conformance';
import { expect, test } from 'vitest';
import { gradeScale } from './grade-scale.ts';

const host = createTestHost();

describeTool(gradeScale, {
  validConfigs: [{}, { pass_mark: 60 }],
  invalidConfigs: [{ config: { pass_mark: 101 }, path: 'pass_mark' }],
  host,
  validArguments: [{ points: 50 }],
  invalidArguments: [{ arguments: { points: 'many' }, path: 'points' }],
});

test('the pass mark passes', async () => {
  const { signal } = new AbortController();
  const call = (points: number) =>
    gradeScale.function?.run({ config: { pass_mark: 60 }, arguments: { points }, idempotencyKey: 'key', host, signal });
  expect((await call(60))?.content).toBe('passed');
  expect((await call(59))?.content).toBe('failed');
});
