import { RubricPage, RubricResource, renderRubricForEvaluation, renderRubricForExport } from '@lamb/contract';
import { createRubric, withTenant } from '@lamb/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { sampleRubric } from './__fixtures__/sample-bodies.ts';

let lamb: TestServer;
let teacher: Person;
let colleague: Person;

beforeAll(async () => {
  lamb = await startTestServer();
  ({ teacher, colleague } = lamb.north);
});
afterAll(async () => {
  await lamb.stop();
});

const path = '/lamb/v1/rubrics';

async function create(body: Record<string, unknown>, owner = teacher): Promise<RubricResource> {
  const reply = await lamb.call(owner, 'POST', path, body);
  expect(reply.status, reply.text).toBe(201);
  return RubricResource.parse(reply.body);
}

describe('a rubric', () => {
  it('is made, read, replaced and removed', async () => {
    const rubric = { ...sampleRubric, custom: { kept: true } };
    const created = await create({ rubric });
    expect(created).toMatchObject({
      owner: teacher.email,
      is_public: false,
      title: 'Essay',
      description: 'How essays are assessed',
      rubric,
    });
    const address = `${path}/${created.rubric_id}`;
    expect((await lamb.call(teacher, 'GET', address)).body).toEqual(created);
    const replaced = await lamb.call(teacher, 'PUT', address, { rubric: { ...sampleRubric, title: 'Poem' } });
    expect(replaced.body).toMatchObject({ rubric_id: created.rubric_id, title: 'Poem', rubric: { title: 'Poem' } });
    expect(replaced.body).not.toHaveProperty('rubric.custom');
    expect((await lamb.call(teacher, 'DELETE', address)).status).toBe(204);
    expect((await lamb.call(teacher, 'GET', address)).status).toBe(404);
    expect((await lamb.call(teacher, 'DELETE', address)).status).toBe(404);
  });

  it('fills in what may be left out', async () => {
    const levels = sampleRubric.criteria[0]?.levels.map(({ id, score, label }) => ({ id, score, label }));
    const { rubric } = await create({
      rubric: { title: 'Short', criteria: [{ id: 'c', name: 'C', weight: 1, levels }] },
    });
    expect(rubric).toMatchObject({ description: '', metadata: {}, scoringType: 'points', maxScore: 10 });
  });

  it('is rendered for people and for evaluation', async () => {
    const { rubric_id: id, rubric } = await create({ rubric: { ...sampleRubric, title: 'A *bold* | title' } });
    const markdown = async (query: string) => await lamb.call(teacher, 'GET', `${path}/${id}/markdown${query}`);
    const forPeople = await markdown('');
    expect(forPeople.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(forPeople.text).toBe(renderRubricForExport(rubric));
    expect(forPeople.text).toContain('# A \\*bold\\*');
    expect((await markdown('?format=export')).text).toBe(forPeople.text);
    const forModel = await markdown('?format=evaluation');
    expect(forModel.text).toBe(renderRubricForEvaluation(rubric));
    expect(forModel.text).toContain('Total score = Σ(level score × weight% / 100) × 10 / 4');
    const unknown = await markdown('?format=pdf');
    expect(unknown.status).toBe(400);
    expect(unknown.body).toMatchObject({ details: { param: 'format' } });
  });

  it.each([
    ['no criteria', { criteria: [] }, 'rubric.criteria', /at least 1 criterion/],
    ['a criterion with one level', withLevels(1), 'rubric.criteria.0.levels', /at least 2 levels/],
    ['an unknown scoring', { scoringType: 'magic' }, 'rubric.scoringType', /points/],
    ['a maximum of nothing', { maxScore: 0 }, 'rubric.maxScore', /0/],
    ['no title', { title: '' }, 'rubric.title', /./],
  ])('with %s is refused', async (_what, wrong, at, says) => {
    const reply = await lamb.call(teacher, 'POST', path, { rubric: { ...sampleRubric, ...wrong } });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ details: { param: at }, title: expect.stringMatching(says) });
  });

  it('that is public is read by colleagues, and changed by its owner only', async () => {
    const { rubric_id: id } = await create({ rubric: { ...sampleRubric, title: 'Public' }, is_public: true });
    const address = `${path}/${id}`;
    expect((await lamb.call(colleague, 'GET', address)).body).toMatchObject({ title: 'Public', is_public: true });
    expect((await lamb.call(colleague, 'GET', `${address}/markdown`)).status).toBe(200);
    for (const person of [colleague, lamb.north.admin]) {
      expect((await lamb.call(person, 'PUT', address, { rubric: sampleRubric })).status).toBe(403);
      expect((await lamb.call(person, 'DELETE', address)).status).toBe(403);
    }
    expect((await lamb.call(lamb.north.student, 'GET', address)).status).toBe(403);
    expect((await lamb.call(lamb.south.teacher, 'GET', address)).status).toBe(404);
    const list = async (person: Person, scope: string) =>
      RubricPage.parse((await lamb.call(person, 'GET', `${path}?scope=${scope}`)).body).items.map(({ title }) => title);
    expect(await list(colleague, 'public')).toEqual(['Public']);
    expect(await list(colleague, 'visible')).toEqual(['Public']);
    expect(await list(colleague, 'mine')).toEqual([]);
    await lamb.call(teacher, 'PUT', address, { rubric: sampleRubric });
    expect((await lamb.call(colleague, 'GET', address)).status, 'no longer public').toBe(404);
  });

  it('of an older installation is found by its number', async () => {
    await withTenant(lamb.services.db, lamb.north.id, (tx) =>
      createRubric(tx, {
        ownerId: teacher.id,
        legacyId: 77,
        title: 'Legacy',
        description: '',
        data: { ...sampleRubric, title: 'Legacy' },
        isPublic: false,
      }),
    );
    expect((await lamb.call(teacher, 'GET', `${path}/77`)).body).toMatchObject({ title: 'Legacy' });
    expect((await lamb.call(lamb.south.teacher, 'GET', `${path}/77`)).status).toBe(404);
  });

  it('is listed page by page, without its contents', async () => {
    const { teacher: owner } = lamb.south;
    for (let number = 0; number < 7; number += 1) {
      await create({ rubric: { ...sampleRubric, title: `R${number}` }, is_public: number % 2 === 0 }, owner);
    }
    const seen: string[] = [];
    let query = '';
    do {
      const reply = await lamb.call(owner, 'GET', `${path}?limit=3${query}`);
      expect(reply.text).not.toContain('criteria');
      const page = RubricPage.parse(reply.body);
      seen.push(...page.items.map(({ title }) => title));
      query = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (query !== '');
    expect(seen).toEqual(['R6', 'R5', 'R4', 'R3', 'R2', 'R1', 'R0']);
  });
});

function withLevels(count: number) {
  return { criteria: sampleRubric.criteria.map((each) => ({ ...each, levels: each.levels.slice(0, count) })) };
}
