import { z } from 'zod';
import { RunEvent } from '../run-event.ts';

/** A durable run. */
export const RunResource = z
  .object({
    id: z.string(),
    assistant_id: z.number().int(),
    chat_id: z.string().nullable(),
    status: z.enum(['running', 'waiting', 'finished', 'failed', 'cancelled']),
    created_at: z.number().int(),
    finished_at: z.number().int().nullable(),
    /** Where to follow it, as server-sent events or by polling. */
    events_url: z.string(),
  })
  .meta({ id: 'RunResource' });
export type RunResource = z.infer<typeof RunResource>;

/** Which events of a run are asked for. `Last-Event-ID` does the same for a stream. */
export const RunEventsQuery = z.object({ after: z.coerce.number().int().min(0).optional() });

/** The events of a run so far, for those who poll. */
export const RunEventPage = z
  .object({ events: z.array(RunEvent), last_seq: z.number().int(), done: z.boolean() })
  .meta({ id: 'RunEventPage' });

/** A decision about a call that waits for approval. */
export const CallDecision = z.object({ decision: z.enum(['approved', 'rejected']) }).meta({ id: 'CallDecision' });
