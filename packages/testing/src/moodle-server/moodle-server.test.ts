import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { spawnMoodleServer } from './spawn-moodle-server.ts';
import { startMoodleServer, type MoodleServer } from './start-moodle-server.ts';

let moodle: MoodleServer;

beforeAll(async () => {
  moodle = await startMoodleServer({
    token: 'secret',
    users: [
      { id: 5, email: 'ana@example.org', courses: [{ id: 2, shortname: 'PHY', fullname: 'Physics', summary: '<p>x' }] },
      { id: 6, email: 'ben@example.org' },
    ],
  });
});
beforeEach(() => {
  moodle.reset();
});
afterAll(() => moodle.stop());

async function ask(parameters: Record<string, string>, { url = moodle.url, method = 'POST' } = {}): Promise<unknown> {
  const all = new URLSearchParams({ wstoken: 'secret', moodlewsrestformat: 'json', ...parameters });
  const endpoint = `${url}/webservice/rest/server.php`;
  const response =
    method === 'POST'
      ? await fetch(endpoint, { method, body: all })
      : await fetch(`${endpoint}?${all.toString()}`, { method });
  expect(response.status).toBe(200);
  return await response.json();
}

const courses = (userid: string) => ({ wsfunction: 'core_enrol_get_users_courses', userid });
const byEmail = (email: string) => ({ wsfunction: 'core_user_get_users_by_field', field: 'email', 'values[0]': email });

test.each(['GET', 'POST'])('gives the courses of a user by %s', async (method) => {
  expect(await ask(courses('5'), { method })).toMatchObject([
    { id: 2, shortname: 'PHY', fullname: 'Physics', summary: '<p>x' },
  ]);
  expect(moodle.calls).toEqual([{ function: 'core_enrol_get_users_courses', parameters: { userid: '5' } }]);
});

test('gives none to who is not enrolled, or not there', async () => {
  expect(await ask(courses('6'))).toEqual([]);
  expect(await ask(courses('7'))).toEqual([]);
});

test('finds users by e-mail, in any case', async () => {
  expect(await ask(byEmail('Ana@Example.org'))).toMatchObject([{ id: 5, username: 'ana', email: 'ana@example.org' }]);
  expect(await ask(byEmail('nobody@example.org'))).toEqual([]);
});

test.each([
  [{ ...courses('5'), wstoken: 'wrong' }, 'invalidtoken', 'Invalid token - token not found'],
  [courses('x'), 'invalidparameter', 'Invalid parameter value detected'],
  [{ wsfunction: 'core_course_delete_courses' }, 'accessexception', 'Access control exception'],
])('tells an error with status 200: %o', async (parameters, errorcode, message) => {
  expect(await ask(parameters)).toEqual({ exception: expect.any(String) as string, errorcode, message });
});

test('runs as a process whose users come over HTTP', async () => {
  const spawned = await spawnMoodleServer(['--token', 'secret']);
  try {
    const body = JSON.stringify([{ id: 1, email: 'eve@example.org' }]);
    await fetch(`${spawned.url}/__users`, { method: 'POST', body });
    expect(await ask(byEmail('eve@example.org'), spawned)).toMatchObject([{ id: 1 }]);
  } finally {
    await spawned.stop();
  }
});
