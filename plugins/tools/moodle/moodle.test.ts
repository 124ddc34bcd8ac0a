import type { MoodleCourse } from '@lamb/plugin-kit';
import { createTestHost, describeTool } from '@lamb/plugin-kit/conformance';
import { expect, test } from 'vitest';
import { moodle } from './moodle.ts';

const physics: MoodleCourse = { id: 2, shortName: 'PHY', fullName: 'Physics', summary: 'Forces and motion.' };
const hostWith = (courses: readonly MoodleCourse[]) =>
  createTestHost({ moodle: { courses: () => Promise.resolve(courses) } });

describeTool(moodle, {
  validConfigs: [{}],
  invalidConfigs: [{ config: [], path: '' }],
  host: hostWith([physics]),
  validArguments: [{}, { user_id: 5 }],
  invalidArguments: [{ arguments: 'all', path: '' }],
});

const { signal } = new AbortController();

test('it lists the courses, as context and as a function', async () => {
  const host = hostWith([physics, { id: 3, shortName: 'LAT', fullName: 'Latin', summary: '' }]);
  const expected = {
    content: '- Physics (PHY): Forces and motion.\n- Latin (LAT)',
    sources: [
      { title: 'Physics', kind: 'moodle', id: '2' },
      { title: 'Latin', kind: 'moodle', id: '3' },
    ],
    metadata: { courses: 2 },
  };
  expect(await moodle.context?.run({ config: {}, query: 'q', messages: [], host, signal })).toEqual(expected);
  expect(await moodle.function?.run({ config: {}, arguments: {}, idempotencyKey: 'k', host, signal })).toEqual(
    expected,
  );
});

test('it says when there are none', async () => {
  const host = hostWith([]);
  const result = await moodle.context?.run({ config: {}, query: 'q', messages: [], host, signal });
  expect(result?.content).toBe('The person is not enrolled in any course.');
});

test('whom it is about is not an argument', () => {
  expect(moodle.function?.input.parse({ user_id: 5, userid: 6 })).toEqual({});
});
