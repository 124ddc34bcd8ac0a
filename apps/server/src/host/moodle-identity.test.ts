import { messageText, type ChatMessage } from '@lamb/contract';
import { startMoodleServer, type LlmReply, type MoodleServer } from '@lamb/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import { makeKey, startTestServer, testOrganizationConfig, type TestServer } from '../test-server/start-test-server.ts';

const VICTIM = 'victim@north.test';
const SECRET = 'Secret course of somebody else';

let lamb: TestServer;
let moodle: MoodleServer;
let gateway: string;
let tutor: { id: number; model: string };

beforeAll(async () => {
  moodle = await startMoodleServer();
  lamb = await startTestServer({ LAMB_OUTBOUND_ALLOW: new URL(moodle.url).host });
  const { teacher, student, admin, id: organizationId } = lamb.north;
  const course = (id: number, fullname: string, summary = '') => ({ id, shortname: `C${id}`, fullname, summary });
  moodle.addUser({ id: 20, email: teacher.email, courses: [course(1, 'Teaching')] });
  moodle.addUser({
    id: 21,
    email: student.email.toUpperCase(),
    courses: [course(2, 'Physics', '<p>Forces &amp; motion</p>')],
  });
  moodle.addUser({ id: 99, email: VICTIM, courses: [course(3, SECRET)] });
  moodle.addUser({ id: 30, email: 'twin@north.test' });
  moodle.addUser({ id: 31, email: 'twin@north.test' });
  gateway = await makeKey(lamb.services, { userId: admin.id, organizationId, trustedGateway: true });
  tutor = await createAssistant(lamb, teacher, { name: 'Tutor', metadata: { tools: ['moodle'] }, published: true });
});
afterAll(async () => {
  await lamb.stop();
  await moodle.stop();
});
beforeEach(async () => {
  lamb.llm.reset();
  moodle.reset();
  await configure({ url: moodle.url, token: moodle.token });
});

async function configure(site: Record<string, string>): Promise<void> {
  const config = { ...testOrganizationConfig(lamb.llm, lamb.kb), moodle: site };
  const stored = await lamb.call(lamb.north.admin, 'PUT', '/lamb/v1/organizations/current/config', config);
  expect(stored.status).toBe(200);
  expect(stored.text).not.toContain(moodle.token);
}

const callMoodle: LlmReply = {
  toolCalls: [{ name: 'get_moodle_courses', arguments: { user_id: 99, userid: '99', email: VICTIM } }],
};

/** Asks in a request that names the victim everywhere, and gives what the model was told of its calls. */
async function ask(key: string, headers: Record<string, string>, model = tutor.model): Promise<string[]> {
  const response = await fetch(`${lamb.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: `I am ${VICTIM}, user 99. Which are my courses?`, name: VICTIM }],
      user: VICTIM,
      metadata: { user_id: '99', lms_user_id: '99', user_email: VICTIM },
      end_user: { lmsUserId: '99' },
    }),
  });
  expect(response.status).toBe(200);
  await response.text();
  const body = lamb.llm.requests.at(-1)?.body as { messages: ChatMessage[] };
  return body.messages.filter(({ role }) => role === 'tool').map(messageText);
}

const forwarded = {
  'x-openwebui-user-id': '99',
  'x-openwebui-user-email': VICTIM,
  'x-openwebui-user-name': 'Victim',
  'x-lms-user-id': '99',
};

const courses = (userid: string) => ({ function: 'core_enrol_get_users_courses', parameters: { userid } });
const lookUp = (email: string) => ({
  function: 'core_user_get_users_by_field',
  parameters: { field: 'email', 'values[0]': email },
});

describe('with a key of their own', () => {
  test('a student sees their own courses, whatever the model, the request and the headers say', async () => {
    lamb.llm.script(callMoodle, { text: 'Physics.' });
    expect(await ask(lamb.north.student.key, forwarded)).toEqual(['- Physics (C2): Forces & motion']);
    expect(moodle.calls).toEqual([lookUp(lamb.north.student.email), courses('21')]);
  });

  test('the owner of the assistant is not the one who asks', async () => {
    lamb.llm.script(callMoodle, { text: 'Teaching.' });
    expect(await ask(lamb.north.teacher.key, forwarded)).toEqual(['- Teaching (C1)']);
  });

  test('the context of the prompt is the student’s too', async () => {
    const { model } = await createAssistant(lamb, lamb.north.teacher, {
      name: 'Context',
      prompt_template: 'Courses:{moodle_courses}{user_input}',
      tools: [{ type: 'moodle', mode: 'context' }],
      published: true,
    });
    await ask(lamb.north.student.key, forwarded, model);
    expect(moodle.calls).toEqual([lookUp(lamb.north.student.email), courses('21')]);
    const sent = JSON.stringify(lamb.llm.requests.at(-1)?.body);
    expect(sent).toContain('Physics (C2)');
    expect(sent).not.toContain(SECRET);
  });

  test('who is known to the LMS is not looked up', async () => {
    const { colleague } = lamb.north;
    await sql`update auth."user" set "lmsUserId" = '21' where id = ${colleague.id}`.execute(lamb.services.db);
    lamb.llm.script(callMoodle, { text: 'Physics.' });
    expect(await ask(colleague.key, forwarded)).toEqual(['- Physics (C2): Forces & motion']);
    expect(moodle.calls).toEqual([courses('21')]);
  });
});

describe('with an address that a person only says is theirs', () => {
  const UNCONFIRMED =
    'Nobody has confirmed that the e-mail address of the person who is asking is theirs, so their Moodle courses cannot be looked up. An administrator of the organisation can confirm it, under Members.';
  const current = '/lamb/v1/organizations/current';
  const password = 'correct horse battery';

  async function post(path: string, body: unknown): Promise<string> {
    const response = await fetch(`${lamb.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(201);
    const { user_id: userId } = (await response.json()) as { user_id: string };
    return userId;
  }

  const keyOf = (userId: string) => makeKey(lamb.services, { userId, organizationId: lamb.north.id });

  test('whoever signs up as somebody else sees nothing, until an administrator of this organisation vouches', async () => {
    const features = { signup_enabled: true, signup_key: 'open-sesame', signup_role: 'end_user' };
    await lamb.call(lamb.north.admin, 'PATCH', `${current}/config`, { features });
    const claimed = { organization: 'north', key: 'open-sesame', email: VICTIM, name: 'Not the victim', password };
    const impostor = await post('/lamb/v1/sign-up', claimed);
    const key = await keyOf(impostor);
    const told = async () => {
      lamb.llm.reset();
      lamb.llm.script(callMoodle, { text: 'Sorry.' });
      return await ask(key, {});
    };
    expect(await told()).toEqual([UNCONFIRMED]);
    expect(moodle.calls).toEqual([]);

    // Another organisation's administrator vouches in theirs, and there only.
    const { db } = lamb.services;
    await db
      .insertInto('auth.member')
      .values({ organizationId: lamb.south.id, userId: impostor, role: 'end_user' })
      .execute();
    const abroad = await lamb.call(lamb.south.admin, 'PATCH', `${current}/members/${impostor}`, {
      email_confirmed: true,
    });
    expect(abroad.body).toMatchObject({ email_confirmed: true });
    expect(await told()).toEqual([UNCONFIRMED]);
    expect(moodle.calls).toEqual([]);

    const members = `${current}/members`;
    const confirmed = await lamb.call(lamb.north.admin, 'PATCH', `${members}/${impostor}`, { email_confirmed: true });
    expect(confirmed.body).toMatchObject({ email_confirmed: true });
    expect(await told()).toEqual([`- ${SECRET} (C3)`]);
    await lamb.call(lamb.north.admin, 'PATCH', `${members}/${impostor}`, { email_confirmed: false });
    expect(await told()).toEqual([UNCONFIRMED]);
    const log = await lamb.call(lamb.north.admin, 'GET', `${current}/audit?action=member.email_confirmed`);
    expect(log.body).toMatchObject({ items: [{ subject: `user:${impostor}` }] });
  });

  test('an invitation vouches for the address it was made for', async () => {
    moodle.addUser({ id: 40, email: 'invited@north.test' });
    const invitation = { email: 'invited@north.test', role: 'end_user' };
    const { body } = await lamb.call(lamb.north.admin, 'POST', `${current}/invitations`, invitation);
    const { token } = body as { token: string };
    const invited = await post('/lamb/v1/invitations/accept', { token, name: 'Invited', password });
    lamb.llm.script(callMoodle, { text: 'None.' });
    await ask(await keyOf(invited), {});
    expect(moodle.calls).toEqual([lookUp('invited@north.test'), courses('40')]);
  });
});

describe('with the key of a trusted gateway', () => {
  test('the person whom the gateway forwards is the one who asks', async () => {
    lamb.llm.script(callMoodle, { text: 'Physics.' });
    const headers = { ...forwarded, 'x-openwebui-user-email': lamb.north.student.email };
    expect(await ask(gateway, headers)).toEqual(['- Physics (C2): Forces & motion']);
    expect(moodle.calls).toEqual([lookUp(lamb.north.student.email), courses('21')]);
  });

  test('an id that the gateway gives is its own, not Moodle’s', async () => {
    lamb.llm.script(callMoodle, { text: 'I do not know.' });
    expect(await ask(gateway, { 'x-openwebui-user-id': '99' })).toEqual([
      'It is not known who is asking, so their Moodle courses cannot be looked up.',
    ]);
    expect(moodle.calls).toEqual([]);
  });

  test.each([
    ['unknown', 'nobody@north.test', 'Moodle knows nobody with the e-mail address of the person who is asking.'],
    [
      'ambiguous',
      'twin@north.test',
      'Several Moodle accounts have the e-mail address of the person who is asking, so theirs cannot be told.',
    ],
  ])('a person who is %s in Moodle gets no courses', async (_what, email, told) => {
    lamb.llm.script(callMoodle, { text: 'None.' });
    expect(await ask(gateway, { 'x-openwebui-user-email': email })).toEqual([told]);
    expect(moodle.calls).toEqual([lookUp(email)]);
  });
});

test('Moodle is asked once in a turn', async () => {
  lamb.llm.script(callMoodle, callMoodle, { text: 'Physics.' });
  expect(await ask(lamb.north.student.key, {})).toHaveLength(2);
  expect(moodle.calls).toHaveLength(2);
});

describe('the model is told', () => {
  const tell = async () => {
    lamb.llm.script(callMoodle, { text: 'Sorry.' });
    return await ask(lamb.north.student.key, {});
  };

  test.each([[{}], [{ url: 'https://moodle.example' }], [{ token: 'x' }]])(
    'that Moodle is not set up: %o',
    async (site) => {
      await configure({ url: '', token: '', ...site });
      expect(await tell()).toEqual(['The organisation has not set up Moodle; an administrator can do that.']);
    },
  );

  test('that the token is not accepted', async () => {
    await configure({ url: `${moodle.url}/`, token: 'wrong' });
    expect(await tell()).toEqual([
      "Moodle did not accept the organisation's token; an administrator can set a new one.",
    ]);
  });

  test('that Moodle fails, or talks nonsense', async () => {
    moodle.fail({ status: 503, times: 'always' });
    expect(await tell()).toEqual(['Moodle answered with status 503.']);
    moodle.reset();
    moodle.fail({ garbage: true, times: 'always' });
    lamb.llm.reset();
    expect(await tell()).toEqual(['Moodle gave an answer that cannot be read.']);
  });

  test('that Moodle’s address is not allowed', async () => {
    await configure({ url: 'http://169.254.169.254', token: 'x' });
    expect(await tell()).toEqual([
      "Moodle's address is not allowed; an administrator of the organisation or the operator can change that.",
    ]);
  });
});
