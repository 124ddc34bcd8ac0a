import { z } from 'zod';

/** An assistant's id where it is part of an address. Only plain digits: `1e3` is not another way to write 1000. */
export const AssistantId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'An assistant’s id is a number, as the list of assistants shows it')
  .transform(Number);

/** The path of one assistant. */
export const AssistantParams = z.object({ id: AssistantId });
