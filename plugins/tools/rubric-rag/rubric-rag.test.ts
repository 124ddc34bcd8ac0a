import { renderRubricForEvaluation, Rubric } from '@lamb/contract';
import { ToolFailure, type ToolHost } from '@lamb/plugin-kit';
import { createTestHost, describeTool } from '@lamb/plugin-kit/conformance';
import { expect, test } from 'vitest';
import { rubricRag } from './rubric-rag.ts';

const rubric = Rubric.parse({
  title: 'Essay',
  criteria: [
    {
      id: 'c',
      name: 'Thesis',
      weight: 100,
      levels: [
        { id: '1', score: 1, label: 'Good' },
        { id: '2', score: 0, label: 'Poor' },
      ],
    },
  ],
});

const hostWith = (rubrics: Readonly<Record<string, Rubric>>): ToolHost =>
  createTestHost({ rubrics: { get: (id) => Promise.resolve(rubrics[id]) } });
const uuid = 'b9d31e0a-5f0e-4a52-9a4a-0d6a0f7c9c11';

describeTool(rubricRag, {
  validConfigs: [{ rubric_id: uuid }, { rubric_id: 7, format: 'json', name: 'Lab report' }],
  invalidConfigs: [
    { config: {}, path: 'rubric_id' },
    { config: { rubric_id: '' }, path: 'rubric_id' },
    { config: { rubric_id: 1.5 }, path: 'rubric_id' },
    { config: { rubric_id: '../7\ncanary' }, path: 'rubric_id' },
    { config: { rubric_id: '7', format: 'html' }, path: 'format' },
  ],
  host: hostWith({ [uuid]: rubric, '7': rubric }),
});

async function run(config: unknown, host: ToolHost) {
  const { signal } = new AbortController();
  return rubricRag.context?.run({ config: rubricRag.config.parse(config), query: '', messages: [], host, signal });
}

test('markdown is the rendering for evaluation, with the rubric as its source', async () => {
  expect(await run({ rubric_id: uuid }, hostWith({ [uuid]: rubric }))).toEqual({
    content: renderRubricForEvaluation(rubric),
    sources: [{ title: 'Essay', kind: 'rubric', id: uuid }],
    metadata: { format: 'markdown' },
  });
});

test('json is the rubric itself, found by an integer id too', async () => {
  const result = await run({ rubric_id: 7, format: 'json' }, hostWith({ '7': rubric }));
  expect(JSON.parse(result?.content ?? '')).toEqual(rubric);
});

test('a rubric that is not there is named', async () => {
  await expect(run({ rubric_id: '8' }, hostWith({ '7': rubric }))).rejects.toEqual(
    new ToolFailure("Rubric 8 was not found or is not accessible to the assistant's owner."),
  );
});

test('the status names the rubric', () => {
  expect(rubricRag.context?.status?.({ config: rubricRag.config.parse({ rubric_id: 7 }) })).toBe('generating rubric 7');
});

test('the model reads the same rubric, by a name that its creator may choose', async () => {
  const host = hostWith({ '7': rubric });
  const config = rubricRag.config.parse({ rubric_id: 7 });
  const { signal } = new AbortController();
  const result = await rubricRag.function?.run({ config, arguments: {}, idempotencyKey: 'k', host, signal });
  expect(result).toEqual(await run({ rubric_id: 7 }, host));
  expect(rubricRag.function?.name({ config })).toBe('get_rubric');
  expect(rubricRag.function?.name({ config: { ...config, name: 'Lab report' } })).toBe('get_rubric_lab_report');
});
