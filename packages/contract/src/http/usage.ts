import { z } from 'zod';

const Day = z.iso.date();

/** The days of UTC, both included, and what of them is asked for; without days the last 30. `model` is connector/model. */
export const UsageDaysQuery = z.object({
  from: Day.optional(),
  to: Day.optional(),
  assistant: z.coerce.number().int().positive().optional(),
  user: z.uuid().optional(),
  model: z.string().max(601).optional(),
});

/** How a chart is asked for: one line in all or one for each of the `top` that used most, the others together as `other`. */
export const UsageSeriesQuery = UsageDaysQuery.extend({
  by: z.enum(['total', 'assistant', 'model', 'user']).default('total'),
  top: z.coerce.number().int().min(1).max(20).default(8),
});

const Sums = z.object({
  calls: z.number().int(),
  prompt_tokens: z.number().int(),
  completion_tokens: z.number().int(),
  total_tokens: z.number().int(),
  cost_micros: z.number().int(),
});

/** Usage for a chart: the same number of points in every series, one for each of `days`. */
export const UsageSeries = z
  .object({
    currency: z.string(),
    days: z.array(z.string()),
    series: z.array(
      Sums.extend({
        /** An id, connector/model, `total`, `other`; null for calls without an assistant. */
        key: z.string().nullable(),
        /** A name or an address, where the key is an id of something that still exists. */
        label: z.string().nullable(),
        points: z.array(Sums.pick({ calls: true, total_tokens: true, cost_micros: true })),
      }),
    ),
    sums: Sums,
  })
  .meta({ id: 'UsageSeries' });
