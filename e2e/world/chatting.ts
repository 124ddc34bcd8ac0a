import type { Page } from '@playwright/test';
import type { Organization } from './start-world.ts';

/** The rest of an assistant that uses no tools. */
export const plain = { metadata: { connector: 'openai', llm: 'gpt-4o-mini' } };

/** The rest of an assistant with tools. */
export const multiTool = (tools: readonly object[]) => ({
  metadata: { connector: 'openai', llm: 'gpt-4o-mini', assistant_type: 'multi_tool', tools },
});

/** Makes an assistant of the teacher's, published. */
export async function publish(organization: Organization, body: Record<string, unknown>): Promise<number> {
  const { call, teacher } = organization;
  const { id } = (await call(teacher, 'POST', '/lamb/v1/assistants', body)) as { id: number };
  await call(teacher, 'PUT', `/lamb/v1/assistants/${String(id)}/publication`);
  return id;
}

/** Asks in the chat that is open. */
export async function ask(page: Page, question: string): Promise<void> {
  await page.getByTestId('question-input').fill(question);
  await page.getByTestId('send-btn').click();
}

export const lastAnswer = (page: Page) => page.getByTestId('answer').last();
