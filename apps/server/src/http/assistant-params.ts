import { z } from 'zod';

/** The path of one assistant. */
export const AssistantParams = z.object({ id: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER) });
