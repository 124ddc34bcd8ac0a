import { messageText, Rubric, type ChatMessage } from '@lamb/contract';
import { ToolFailure, type ToolHost } from '@lamb/plugin-kit';
import { createTestHost, describeTool } from '@lamb/plugin-kit/conformance';
import { describe, expect, test } from 'vitest';
import { rubricEval } from './rubric-eval.ts';
import { scoreRubric } from './score-rubric.ts';

const levels = [
  { id: 'a', score: 4, label: 'Good', description: 'Says one thing.', order: 1 },
  { id: 'b', score: 2, label: 'Fair', order: 2 },
  { id: 'c', score: 0, label: 'Poor', order: 3 },
];
const rubric = Rubric.parse({
  title: 'Essay',
  criteria: [
    { id: '2', name: 'Sources', weight: 40, order: 2, levels },
    { id: '1', name: 'Thesis', weight: 60, order: 1, levels },
  ],
  maxScore: 10,
});

const textOf = (message: ChatMessage | undefined) => messageText(message ?? { content: '' });
const good = '{"level": 1, "reason": "It is clear."}';

/** A host whose model answers by criterion, one answer an attempt, the last one for ever. */
function hostWith(answers: Readonly<Record<string, readonly string[]>>): ToolHost & { asked: ChatMessage[][] } {
  const asked: ChatMessage[][] = [];
  const host = createTestHost({
    rubrics: { get: (id) => Promise.resolve(id === '7' ? rubric : undefined) },
    model: {
      ask(messages) {
        asked.push([...messages]);
        const criterion = Object.keys(answers).find((name) => textOf(messages[0]).includes(`: ${name}\n`));
        const given = answers[criterion ?? ''] ?? [good];
        const attempt = messages.length > 2 ? 1 : 0;
        return Promise.resolve(given[attempt] ?? given.at(-1) ?? '');
      },
    },
  });
  return { ...host, asked };
}

describeTool(rubricEval, {
  validConfigs: [{ rubric_id: '7' }, { rubric_id: 7 }],
  invalidConfigs: [
    { config: {}, path: 'rubric_id' },
    { config: { rubric_id: '../7' }, path: 'rubric_id' },
  ],
  host: hostWith({}),
  validArguments: [{ text: 'My essay.' }],
  invalidArguments: [
    { arguments: {}, path: 'text' },
    { arguments: { text: ' ' }, path: 'text' },
    { arguments: { text: 'x'.repeat(200_001) }, path: 'text' },
  ],
});

async function evaluate(host: ToolHost, rubricId = '7') {
  const { signal } = new AbortController();
  const config = { rubric_id: rubricId };
  return rubricEval.function?.run({ config, arguments: { text: 'My essay.' }, idempotencyKey: 'k', host, signal });
}

test('each criterion is assessed on its own, in order, and the total is computed', async () => {
  const host = hostWith({ Sources: ['```json\n{"level": "2", "reason": "Two are named."}\n```'] });
  expect(await evaluate(host)).toEqual({
    content:
      '# Essay\n\n## Thesis (weight 60%)\n\nGood, 4 points. It is clear.\n\n' +
      '## Sources (weight 40%)\n\nFair, 2 points. Two are named.\n\nTotal score: 8 of 10',
    sources: [{ title: 'Essay', kind: 'rubric', id: '7' }],
    metadata: { criteria: 2, max_score: 10, score: 8 },
  });
  expect(host.asked).toHaveLength(2);
  expect(host.asked[0]?.[0]?.content).toContain('1. Good (4 points): Says one thing.\n2. Fair (2 points)');
  expect(host.asked[0]?.[1]).toEqual({ role: 'user', content: 'My essay.' });
});

describe('when the model does not answer as it should', () => {
  test.each([
    ['no JSON', 'It is good.', 'That is not a JSON object.'],
    ['a level that is not there', '{"level": 4, "reason": "x"}', 'That is not valid: level: '],
    ['no reason', '{"level": 1}', 'That is not valid: reason: '],
  ])('it is asked once more after %s', async (_what, answer, problem) => {
    const host = hostWith({ Thesis: [answer, good] });
    expect((await evaluate(host))?.metadata).toMatchObject({ score: 10 });
    const repair = host.asked.find((messages) => messages.length > 2);
    expect(repair?.[2]).toEqual({ role: 'assistant', content: answer });
    expect(textOf(repair?.[3])).toContain(problem);
  });

  test('a criterion without an assessment is named, and there is no total', async () => {
    const host = hostWith({ Thesis: ['no', 'never'] });
    const result = await evaluate(host);
    expect(result).toMatchObject({
      error: 'Not assessed, because the model gave nothing that can be read: Thesis.',
      metadata: { criteria: 2, max_score: 10 },
    });
    expect(result?.metadata).not.toHaveProperty('score');
    expect(result?.content).toContain('## Thesis (weight 60%)\n\nNot assessed.');
    expect(host.asked).toHaveLength(3);
  });

  test('without any assessment it fails', async () => {
    await expect(evaluate(hostWith({ Thesis: ['no'], Sources: ['no'] }))).rejects.toThrow(ToolFailure);
  });
});

test('when the model fails, no further criterion is asked for', async () => {
  const criteria = Array.from({ length: 20 }, (_, index) => ({ id: String(index), name: 'N', weight: 5, levels }));
  let asked = 0;
  const host = createTestHost({
    rubrics: { get: () => Promise.resolve(Rubric.parse({ title: 'Long', criteria })) },
    model: {
      ask() {
        asked += 1;
        return Promise.reject(new ToolFailure('The provider is down.'));
      },
    },
  });
  await expect(evaluate(host)).rejects.toThrow('The provider is down.');
  expect(asked).toBeLessThanOrEqual(4);
});

test('a rubric that is not there is named', async () => {
  await expect(evaluate(hostWith({}), '8')).rejects.toThrow('Rubric 8 was not found');
});

test('the score follows the formula', () => {
  expect(scoreRubric(rubric, [4, 4])).toBe(10);
  expect(scoreRubric(rubric, [0, 4])).toBe(6);
  expect(scoreRubric({ ...rubric, maxScore: 100 }, [2, 2])).toBe(50);
  const pointless = rubric.criteria.map((criterion) => ({
    ...criterion,
    levels: criterion.levels.map((level) => ({ ...level, score: 0 })),
  }));
  expect(scoreRubric({ ...rubric, criteria: pointless }, [0, 0])).toBeUndefined();
});
