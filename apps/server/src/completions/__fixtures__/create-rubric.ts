import { Rubric } from '@lamb/contract';
import type { Person, TestServer } from '../../test-server/start-test-server.ts';

/** Makes a rubric of one criterion; its text says what it is called. */
export async function createRubric(
  lamb: Pick<TestServer, 'call'>,
  owner: Person,
  title: string,
  criterion = 'Clarity',
): Promise<{ id: string; rubric: Rubric }> {
  const rubric = Rubric.parse({
    title,
    criteria: [
      {
        id: 'c1',
        name: criterion,
        weight: 100,
        levels: [
          { id: 'l1', score: 4, label: 'Clear' },
          { id: 'l2', score: 1, label: 'Unclear' },
        ],
      },
    ],
  });
  const created = await lamb.call(owner, 'POST', '/lamb/v1/rubrics', { rubric });
  if (created.status !== 201) throw new Error(`“${title}” was not created: ${created.text}`);
  return { id: (created.body as { rubric_id: string }).rubric_id, rubric };
}
