import { z } from 'zod';
import { Rubric } from '../rubric.ts';
import { pageOf } from './paging.ts';

/** What a creator sends to make or change a rubric. */
export const RubricBody = z
  .object({ rubric: Rubric, is_public: z.boolean().default(false) })
  .meta({ id: 'RubricBody' });

/** A rubric with its owner and times. */
export const RubricResource = z
  .object({
    rubric_id: z.string(),
    owner: z.string(),
    is_public: z.boolean(),
    title: z.string(),
    description: z.string(),
    rubric: Rubric,
    created_at: z.number().int(),
    updated_at: z.number().int(),
  })
  .meta({ id: 'RubricResource' });
export type RubricResource = z.infer<typeof RubricResource>;

/** A page of rubrics. */
export const RubricPage = pageOf(RubricResource.omit({ rubric: true })).meta({ id: 'RubricPage' });

/** Which rendering of a rubric is asked for. */
export const RubricRenderingQuery = z.object({ format: z.enum(['export', 'evaluation']).default('export') });
