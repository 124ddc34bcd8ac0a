import { expect } from '@playwright/test';
import type { Organization } from './start-world.ts';

/** A knowledge base of the teacher's in LAMB itself, read in and ready, in an organisation that searches its own. */
export async function makeKnowledgeBase(
  { call, admin, teacher }: Organization,
  name: string,
  documents: Readonly<Record<string, string>>,
): Promise<number> {
  const settings = '/lamb/v1/organizations/current/config';
  const { config } = (await call(admin, 'GET', settings)) as { config: Record<string, unknown> };
  const { kb_server: _, ...own } = config;
  await call(admin, 'PUT', settings, own);
  const { id } = (await call(teacher, 'POST', '/lamb/v1/collections', { name })) as { id: number };
  const path = `/lamb/v1/collections/${String(id)}/documents`;
  const form = new FormData();
  for (const [file, text] of Object.entries(documents)) form.append('file', new File([text], file));
  await call(teacher, 'POST', path, form);
  const readStates = async () => {
    const { items } = (await call(teacher, 'GET', path)) as { items: { status: string }[] };
    return [...new Set(items.map(({ status }) => status))];
  };
  await expect.poll(readStates, { timeout: 30_000 }).toEqual(['ready']);
  return id;
}
