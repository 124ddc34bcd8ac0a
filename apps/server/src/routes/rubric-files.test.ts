import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { sampleRubric } from './__fixtures__/sample-bodies.ts';

let lamb: TestServer;
let teacher: Person;

beforeAll(async () => {
  lamb = await startTestServer();
  ({ teacher } = lamb.north);
});
afterAll(async () => {
  await lamb.stop();
});
beforeEach(() => {
  lamb.llm.reset();
});

const path = '/lamb/v1/rubrics';
const importIt = (document: unknown) => lamb.call(teacher, 'POST', `${path}/import`, { document });

describe('a rubric file', () => {
  it('is read in the shapes that installations write, and nothing in it says whose it is', async () => {
    const old = {
      ...sampleRubric,
      rubricId: '11111111-1111-4111-8111-111111111111',
      owner: 'boss@south.test',
      organization_id: lamb.south.id,
      metadata: { subject: 'Art' },
    };
    for (const document of [
      old,
      JSON.stringify(old),
      { rubric: old },
      { rubric_data: JSON.stringify(old), owner: 'x' },
    ]) {
      const { status, body, text } = await importIt(document);
      expect(status, text).toBe(201);
      expect(body).toMatchObject({
        rubric: { owner: teacher.email, is_public: false, rubric: { title: 'Essay', metadata: { subject: 'Art' } } },
        dropped: ['rubricId', 'owner', 'organization_id'],
      });
      expect(text).not.toContain(old.rubricId);
    }
  });

  it('may leave ids out and write numbers as text', async () => {
    const { body } = await importIt({
      title: 'Old',
      criteria: [
        {
          name: 'C',
          weight: '100',
          levels: [
            { score: '2', label: 'A' },
            { score: '1', label: 'B' },
          ],
        },
      ],
    });
    expect(body).toMatchObject({
      rubric: { rubric: { criteria: [{ id: expect.any(String), weight: 100, levels: [{ score: 2 }, { score: 1 }] }] } },
    });
  });

  it.each([
    ['no JSON', 'title: x'],
    ['a list', '[]'],
    ['nothing', {}],
    ['too few levels', { title: 'x', criteria: [{ name: 'C', weight: 1, levels: [] }] }],
    ['a weight that is no number', { title: 'x', criteria: [{ name: 'C', weight: 'much', levels: [] }] }],
    ['__proto__ inside a text', '{"__proto__":{"criteria":[]},"title":"x"}'],
  ])('that holds %s is refused, and it says why', async (_what, document) => {
    const reply = await importIt(document);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({
      title: expect.stringMatching(/^This is no rubric that can be read\. /),
      details: { param: 'document' },
    });
  });

  it('goes out and comes in again as it was', async () => {
    const created = await lamb.call(teacher, 'POST', path, { rubric: { ...sampleRubric, custom: 1 } });
    const id = (created.body as { rubric_id: string }).rubric_id;
    const exported = await lamb.call(teacher, 'GET', `${path}/${id}/export`);
    expect(exported.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''Essay.json");
    expect(exported.body).toMatchObject({ rubricId: id, custom: 1 });
    const again = await importIt(exported.body);
    const { rubricId: _id, ...document } = exported.body as Record<string, unknown>;
    expect((again.body as { rubric: { rubric: unknown } }).rubric.rubric).toEqual(document);
    expect((await lamb.call(lamb.north.colleague, 'GET', `${path}/${id}/export`)).status).toBe(404);
  });
});

describe('a rubric', () => {
  it('is copied by whoever may read it, and the copy is theirs', async () => {
    const made = await lamb.call(teacher, 'POST', path, { rubric: sampleRubric, is_public: true });
    const { rubric_id: id } = made.body as { rubric_id: string };
    const copy = await lamb.call(lamb.north.colleague, 'POST', `${path}/${id}/duplicate`);
    expect(copy.body).toMatchObject({
      owner: lamb.north.colleague.email,
      title: 'Essay (copy)',
      rubric: { title: 'Essay (copy)' },
      is_public: false,
      parent_id: id,
    });
  });

  it('is shown as an example by an administrator, while it is public', async () => {
    const made = await lamb.call(teacher, 'POST', path, {
      rubric: { ...sampleRubric, title: 'Model' },
      is_public: true,
    });
    const { rubric_id: id, version } = made.body as { rubric_id: string; version: number };
    const show = (person: Person) => lamb.call(person, 'PUT', `${path}/${id}/showcase`, { is_showcase: true });
    expect((await show(teacher)).status).toBe(403);
    expect((await show(lamb.north.admin)).body).toMatchObject({ is_showcase: true });
    const list = async (query: string) =>
      ((await lamb.call(lamb.north.colleague, 'GET', `${path}?${query}`)).body as { items: { title: string }[] }).items;
    expect(await list('scope=showcase')).toMatchObject([{ title: 'Model' }]);
    expect(await list('scope=public&search=mODel')).toMatchObject([{ title: 'Model' }]);
    expect(await list('search=nothing%25')).toEqual([]);
    const stale = await lamb.call(teacher, 'PUT', `${path}/${id}`, { rubric: sampleRubric, version });
    expect(stale.body).toMatchObject({ code: 'stale_update' });
    const hidden = await lamb.call(teacher, 'PUT', `${path}/${id}`, { rubric: sampleRubric, version: version + 1 });
    expect(hidden.body).toMatchObject({ is_public: false, is_showcase: false });
    expect((await show(lamb.north.admin)).status).toBe(404);
  });

  it('is rendered both ways before it is saved', async () => {
    const { body } = await lamb.call(teacher, 'POST', `${path}/render`, { rubric: sampleRubric });
    expect(body).toEqual({
      export: expect.stringContaining('Clarity'),
      evaluation: expect.stringContaining('Clarity'),
    });
  });
});

describe('a draft', () => {
  const written = {
    title: 'Lab report',
    description: 'For reports',
    is_public: true,
    criteria: [1, 2, 3].map((n) => ({
      name: `Criterion ${String(n)}`,
      description: 'd',
      weight: 33.3,
      secret: 'x',
      levels: [
        { score: 2, label: 'Good', description: 'g' },
        { score: 1, label: 'Poor', description: 'p' },
      ],
    })),
  };
  const usage = { promptTokens: 50, completionTokens: 20 };
  const draft = (body: Record<string, unknown> = {}, person = teacher) =>
    lamb.call(person, 'POST', `${path}/draft`, { description: 'A lab report', criteria: 3, levels: 2, ...body });

  it('is written by the organisation’s model, with weights that sum up, and is booked', async () => {
    lamb.llm.script({ text: `Here it is:\n\`\`\`json\n${JSON.stringify(written)}\n\`\`\``, usage });
    const { status, body, text } = await draft({ subject: 'Physics', max_score: 20 });
    expect(status, text).toBe(200);
    expect(body).toMatchObject({
      repaired: false,
      rubric: { title: 'Lab report', metadata: { subject: 'Physics' }, maxScore: 20, scoringType: 'points' },
    });
    const { rubric } = body as { rubric: { criteria: { weight: number }[] } };
    expect(rubric.criteria.map(({ weight }) => weight)).toEqual([34, 33, 33]);
    expect(text).not.toMatch(/secret|is_public/);
    await lamb.services.usageRecorder.flush();
    const today = new Date().toISOString().slice(0, 10);
    const used = await lamb.call(
      lamb.north.admin,
      'GET',
      `/lamb/v1/organizations/current/usage/series?from=${today}&user=${teacher.id}`,
    );
    expect(used.body).toMatchObject({ sums: { total_tokens: 70 } });
  });

  it('that is none goes back to the model once', async () => {
    lamb.llm.script({ text: 'Sorry.' }, { text: JSON.stringify(written) });
    expect((await draft()).body).toMatchObject({ repaired: true, rubric: { title: 'Lab report' } });
    const second = JSON.stringify(lamb.llm.requests[1]?.body);
    expect(second).toContain('There is no JSON object in it.');
    lamb.llm.reset();
    lamb.llm.script({ text: '{"criteria":[]}' }, { text: '{"criteria":7}' }, { text: JSON.stringify(written) });
    const failed = await draft();
    expect(failed.status).toBe(502);
    expect(lamb.llm.requests).toHaveLength(2);
  });

  it('stays within the budget, and is for creators', async () => {
    const caps = '/lamb/v1/organizations/current/budgets';
    await lamb.call(lamb.south.admin, 'PUT', caps, { organization: { tokens: 10, cost_micros: null } });
    expect((await draft({}, lamb.south.teacher)).body).toMatchObject({ code: 'budget_exceeded' });
    expect(lamb.llm.requests).toEqual([]);
    expect((await draft({}, lamb.north.student)).status).toBe(403);
  });
});
