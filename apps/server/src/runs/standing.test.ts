import type { RunEvent } from '@lamb/contract';
import { removeMember, withTenant } from '@lamb/store';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { addOrganization } from '../budget/__fixtures__/add-organization.ts';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import {
  startTestServer,
  type Person,
  type TestOrganization,
  type TestServer,
} from '../test-server/start-test-server.ts';
import { readRunStream } from './__fixtures__/read-run-stream.ts';
import { prepareRun } from './prepare-run.ts';

let lamb: TestServer;
let here: TestOrganization;

beforeAll(async () => {
  lamb = await startTestServer();
});
afterAll(() => lamb.stop());
beforeEach(async () => {
  lamb.llm.reset();
  here = await addOrganization(lamb);
});

async function startRun(person: Person, model: string): Promise<string> {
  const { status, body } = await lamb.call(person, 'POST', '/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: 'Hello' }],
    lamb: { background: true },
  });
  expect(status).toBe(202);
  return (body as { id: string }).id;
}

type Change = (person: Person) => Promise<unknown>;

const suspend: Change = () =>
  sql`update auth.organization set status = 'suspended' where id = ${here.id}`.execute(lamb.services.db);
const close: Change = ({ id }) =>
  sql`update auth."user" set enabled = false where id = ${id}`.execute(lamb.services.db);
const disable: Change = ({ id }) =>
  sql`update auth.member set enabled = false where "userId" = ${id}`.execute(lamb.services.db);
const remove: Change = ({ id }) => withTenant(lamb.services.db, here.id, (tx) => removeMember(tx, id));
const revoke: Change = ({ id }) => sql`delete from auth.apikey where "referenceId" = ${id}`.execute(lamb.services.db);
const narrow: Change = ({ id }) =>
  sql`update auth.apikey set "assistantIds" = '{1}' where "referenceId" = ${id}`.execute(lamb.services.db);

const changes: [what: string, change: Change, code: string][] = [
  ['the organisation is suspended', suspend, 'organization_suspended'],
  ['the account is closed', close, 'account_disabled'],
  ['the member is disabled', disable, 'account_disabled'],
  ['the member is removed', remove, 'unauthenticated'],
  ['the key is revoked', revoke, 'unauthenticated'],
];

const call = { toolCalls: [{ name: 'get_moodle_courses', arguments: {} }] };

/** Has the model call a tool twice, with a change after the first time. */
async function changeInMidRun(change: Change): Promise<{ events: RunEvent[]; changedAt: number }> {
  const { model } = await createAssistant(lamb, here.teacher, {
    name: 'Tutor',
    tools: [{ type: 'moodle', mode: 'function' }],
    published: true,
  });
  const changed = Promise.withResolvers<undefined>();
  lamb.llm.script(call, { ...call, after: changed.promise }, { text: 'The end.' });
  const runId = await startRun(here.student, model);
  const events: RunEvent[] = [];
  let changedAt = Number.NaN;
  for await (const { event } of readRunStream({ url: lamb.url, key: here.student.key, runId })) {
    events.push(event);
    if (event.type !== 'call.finished' || !Number.isNaN(changedAt)) continue;
    await change(here.student);
    changedAt = Date.now();
    changed.resolve(undefined);
  }
  return { events, changedAt };
}

describe('in mid-run', () => {
  test.each(changes)('%s: nothing more is called, within a second', async (_what, change, code) => {
    const { events, changedAt } = await changeInMidRun(change);
    const end = events.at(-1);
    expect(end).toMatchObject({ type: 'run.failed', code });
    expect((end?.time ?? Number.NaN) - changedAt).toBeLessThan(1000);
    expect(events.filter(({ type }) => type === 'call.finished')).toHaveLength(1);
    expect(lamb.llm.requests).toHaveLength(2);
  });

  test('the key is narrowed to other assistants: the next call is refused', async () => {
    const { events } = await changeInMidRun(narrow);
    const outcomes = events.flatMap((event) => (event.type === 'call.finished' ? [event.outcome] : []));
    expect(outcomes).toEqual(['failed', 'refused']);
  });

  test('the organisation is suspended while the model thinks: it is not asked again', async () => {
    const { model } = await createAssistant(lamb, here.teacher, {
      name: 'Slow',
      tools: [{ type: 'moodle', mode: 'function' }],
      published: true,
    });
    // Longer than a standing is believed without a look; what it calls is not on offer, so no tool asks for it.
    const suspended = Promise.withResolvers<undefined>();
    const thought = { toolCalls: [{ name: 'not_on_offer', arguments: {} }], after: suspended.promise };
    lamb.llm.script({ ...thought, firstDelayMs: 800 }, { text: 'The end.' });
    const runId = await startRun(here.student, model);
    const events: RunEvent[] = [];
    for await (const { event } of readRunStream({ url: lamb.url, key: here.student.key, runId })) {
      events.push(event);
      if (events.length > 1) continue;
      await vi.waitFor(() => {
        expect(lamb.llm.requests).toHaveLength(1);
      });
      await suspend(here.student);
      suspended.resolve(undefined);
    }
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', code: 'organization_suspended' });
    expect(lamb.llm.requests).toHaveLength(1);
  });
});

test.each(changes)('a run that is taken up again after %s does not go on', async (_what, change, code) => {
  const { model } = await createAssistant(lamb, here.teacher, { name: 'Tutor', published: true });
  const runId = await startRun(here.student, model);
  await lamb.call(here.student, 'GET', `/lamb/v1/runs/${runId}/events`);
  const { signal } = new AbortController();
  const stored = await lamb.services.runs?.find(here.id, runId);
  if (!stored) throw new Error('There is no such run.');
  await expect(prepareRun(lamb.services, stored, signal)).resolves.toBeDefined();
  await change(here.student);
  await expect(prepareRun(lamb.services, stored, signal)).rejects.toMatchObject({ code });
});

const edit = { line_start: 1, line_end: 1, old_content: 'a', new_content: 'b' };
const patch = { name: 'patch_file', arguments: { file_path: 'a.txt', changes: [edit] } };

test('an administrator who is none any more approves nothing with an administrator’s rights', async () => {
  const { admin, teacher, colleague } = here;
  const members = '/lamb/v1/organizations/current/members';
  await lamb.call(admin, 'PATCH', `${members}/${colleague.id}`, { role: 'admin' });
  const { model } = await createAssistant(lamb, teacher, {
    name: 'Private',
    tools: [{ type: 'patch_file', mode: 'function' }],
  });
  lamb.llm.script({ toolCalls: [patch] }, { text: 'The end.' });
  const runId = await startRun(colleague, model);
  const events: RunEvent[] = [];
  for await (const { event } of readRunStream({ url: lamb.url, key: colleague.key, runId })) {
    events.push(event);
    if (event.type !== 'call.approval_required') continue;
    await lamb.call(admin, 'PATCH', `${members}/${colleague.id}`, { role: 'member' });
    const path = `/lamb/v1/runs/${runId}/calls/${event.call_id}/decision`;
    const decided = await lamb.call(colleague, 'POST', path, { decision: 'approved' });
    expect(decided.status, decided.text).toBe(202);
  }
  const outcomes = events.flatMap((event) => (event.type === 'call.finished' ? [event.outcome] : []));
  expect(outcomes).toEqual(['refused']);
});
