import type { EndUser } from '@lamb/contract';
import { expect, test } from 'vitest';
import { moodleAugment } from './moodle-augment.ts';

test.each<[what: string, endUser: EndUser, value: string]>([
  ['the LMS id', { id: 'u1', email: 'a@uni.example', lmsUserId: '4711' }, '4711'],
  ['the e-mail, without an LMS id', { id: 'u1', email: 'a@uni.example', name: 'Ada' }, 'a@uni.example'],
  ['the e-mail, with an empty LMS id', { id: 'u1', email: 'a@uni.example', lmsUserId: '' }, 'a@uni.example'],
  ['the id, without either', { id: 'u1', name: 'Ada' }, 'u1'],
])('{moodle_user} is %s', (_, endUser, value) => {
  expect(moodleAugment.values?.({ endUser })).toEqual({ moodle_user: value });
  expect(moodleAugment.placeholders).toEqual(['moodle_user']);
});
