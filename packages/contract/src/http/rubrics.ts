import { z } from 'zod';
import { Rubric } from '../rubric.ts';
import { pageOf, PageQuery } from './paging.ts';

/** What a creator sends to make or change a rubric. With `version`, a change is refused when somebody else was faster. */
export const RubricBody = z
  .object({ rubric: Rubric, is_public: z.boolean().default(false), version: z.number().int().positive().optional() })
  .meta({ id: 'RubricBody' });

/** Which rubrics are asked for; `search` is part of a title or description. */
export const RubricQuery = PageQuery.extend({
  scope: z.enum(['mine', 'public', 'visible', 'showcase']).default('visible'),
  search: z.string().trim().min(1).max(200).optional(),
});

/** Whether an administrator shows a public rubric as an example. */
export const RubricShowcaseBody = z.object({ is_showcase: z.boolean() }).meta({ id: 'RubricShowcaseBody' });

/** A rubric from a file: the document itself, or what contains it, as text or as JSON. */
export const RubricImportBody = z
  .object({
    document: z.union([z.string().max(2_000_000), z.record(z.string(), z.unknown())]),
    is_public: z.boolean().default(false),
  })
  .meta({ id: 'RubricImportBody' });

/** A rubric to look at before it is saved. */
export const RubricRenderBody = z.object({ rubric: Rubric }).meta({ id: 'RubricRenderBody' });

/** Both renderings of a rubric, as markdown: for people, and for the model that evaluates by it. */
export const RubricRendering = z.object({ export: z.string(), evaluation: z.string() }).meta({ id: 'RubricRendering' });

/** What the organisation's model shall write a rubric for. */
export const RubricDraftBody = z
  .object({
    description: z.string().trim().min(1).max(4000),
    subject: z.string().trim().max(200).optional(),
    grade_level: z.string().trim().max(200).optional(),
    /** In which language, as a person would say it. */
    language: z.string().trim().max(50).optional(),
    criteria: z.number().int().min(1).max(12).default(4),
    levels: z.number().int().min(2).max(6).default(4),
    scoring_type: Rubric.shape.scoringType,
    max_score: Rubric.shape.maxScore,
  })
  .meta({ id: 'RubricDraftBody' });

/** A rubric that the model wrote; it is not saved. `repaired` when it needed a second try. */
export const RubricDraft = z.object({ rubric: Rubric, repaired: z.boolean() }).meta({ id: 'RubricDraft' });

/** A rubric with its owner and times. */
export const RubricResource = z
  .object({
    rubric_id: z.string(),
    owner: z.string(),
    is_public: z.boolean(),
    is_showcase: z.boolean(),
    version: z.number().int(),
    /** The rubric that this one is a copy of. */
    parent_id: z.string().nullable(),
    title: z.string(),
    description: z.string(),
    rubric: Rubric,
    created_at: z.number().int(),
    updated_at: z.number().int(),
  })
  .meta({ id: 'RubricResource' });
export type RubricResource = z.infer<typeof RubricResource>;

/** A rubric that came from a file. `dropped` names what of the file does not count here, such as its id and its owner. */
export const RubricImport = z
  .object({ rubric: RubricResource, dropped: z.array(z.string()) })
  .meta({ id: 'RubricImport' });

/** A page of rubrics. */
export const RubricPage = pageOf(RubricResource.omit({ rubric: true })).meta({ id: 'RubricPage' });

/** Which rendering of a rubric is asked for. */
export const RubricRenderingQuery = z.object({ format: z.enum(['export', 'evaluation']).default('export') });
