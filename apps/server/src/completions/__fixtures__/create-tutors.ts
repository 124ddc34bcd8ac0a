import type { TestServer } from '../../test-server/start-test-server.ts';
import { createAssistant } from './create-assistant.ts';

export interface Tutors {
  /** Published; searches one collection, whose id is 1. */
  readonly physics: { readonly id: number; readonly model: string };
  /** Published; sees images. */
  readonly eyes: { readonly id: number; readonly model: string };
  /** For its teacher only; no tools. */
  readonly draft: { readonly id: number; readonly model: string };
}

/** Three assistants of the teacher in the north. */
export async function createTutors(lamb: TestServer): Promise<Tutors> {
  const { teacher } = lamb.north;
  const collection = lamb.kb.addCollection('physics', [
    { text: 'A force changes the motion of a body.', metadata: { filename: 'motion.pdf', page: 3 } },
  ]);
  const physics = await createAssistant(lamb, teacher, {
    name: 'Physics tutor',
    system_prompt: 'You teach physics.',
    prompt_template: 'Notes:{context}Question: {user_input}',
    tools: [{ type: 'simple_rag', config: { collections: [String(collection)] } }],
    published: true,
  });
  const eyes = await createAssistant(lamb, teacher, {
    name: 'Eyes',
    metadata: { capabilities: { vision: true } },
    published: true,
  });
  const draft = await createAssistant(lamb, teacher, { name: 'Draft', system_prompt: 'Be brief.' });
  return { physics, eyes, draft };
}
