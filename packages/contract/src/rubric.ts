import { z } from 'zod';

/** One level of achievement of a criterion. */
export const RubricLevel = z.looseObject({
  id: z.string(),
  score: z.number(),
  label: z.string().max(200),
  description: z.string().max(5000).default(''),
  order: z.number().int().default(0),
});

/** One criterion of a rubric. */
export const RubricCriterion = z.looseObject({
  id: z.string(),
  name: z.string().min(1).max(200),
  description: z.string().max(5000).default(''),
  weight: z.number().min(0).max(100),
  order: z.number().int().default(0),
  levels: z.array(RubricLevel).min(2, 'A criterion needs at least 2 levels.').max(20),
});

/** An assessment rubric, in the shape that existing installations exchange. */
export const Rubric = z
  .looseObject({
    title: z.string().min(1).max(200),
    description: z.string().max(10_000).default(''),
    metadata: z.record(z.string(), z.unknown()).default({}),
    criteria: z.array(RubricCriterion).min(1, 'A rubric needs at least 1 criterion.').max(100),
    scoringType: z.enum(['points', 'percentage', 'holistic', 'single-point', 'checklist']).default('points'),
    maxScore: z.number().positive().default(10),
  })
  .meta({ id: 'Rubric' });
export type Rubric = z.infer<typeof Rubric>;
