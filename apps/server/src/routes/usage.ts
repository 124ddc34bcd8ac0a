import { AppError, UsageDaysQuery, UsageSeries, UsageSeriesQuery } from '@lamb/contract';
import {
  getBudgetCaps,
  listDailyUsage,
  listUsageRows,
  withTenant,
  type DailyUsage,
  type UsageFilter,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { toCsv } from '../http/to-csv.ts';
import type { Services } from '../services.ts';

const tags = ['Usage'];
const DAY_MS = 86_400_000;
const MAX_DAYS = 400;
const MAX_ROWS = 100_000;
const MICROS = 1_000_000;

/** What an organisation used, for charts and spreadsheets. */
export function usageRoutes({ db, budgets }: Services): FastifyPluginCallbackZod {
  const chooseRange = (query: z.infer<typeof UsageDaysQuery>): { filter: UsageFilter; days: string[] } => {
    const to = query.to ?? budgets.now().toISOString().slice(0, 10);
    const from = query.from ?? new Date(Date.parse(to) - 29 * DAY_MS).toISOString().slice(0, 10);
    const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
    if (count < 1 || count > MAX_DAYS) {
      throw new AppError('invalid_request', {
        message: `From \`from\` to \`to\` must be 1 to ${String(MAX_DAYS)} days.`,
        details: { param: 'from' },
      });
    }
    const days = Array.from({ length: count }, (_, index) =>
      new Date(Date.parse(from) + index * DAY_MS).toISOString().slice(0, 10),
    );
    return { filter: { from, to, assistantId: query.assistant, userId: query.user, model: query.model }, days };
  };

  return (app, _options, done) => {
    app.get(
      '/lamb/v1/organizations/current/usage/series',
      {
        config: { access: 'usage.read' },
        schema: {
          tags,
          summary: 'Usage by day, for a chart',
          querystring: UsageSeriesQuery,
          response: { 200: UsageSeries },
        },
      },
      async ({ principal, query }) => {
        const { filter, days } = chooseRange(query);
        const { rows, currency } = await withTenant(db, principal.organizationId, async (tx) => ({
          rows: await listDailyUsage(tx, filter, query),
          currency: (await getBudgetCaps(tx)).currency,
        }));
        const series = [...Map.groupBy(rows, ({ key }) => key).values()]
          .map((group) => toSeries(group, days))
          .toSorted(
            (one, other) =>
              Number(one.key === 'other') - Number(other.key === 'other') || other.total_tokens - one.total_tokens,
          );
        return { currency, days, series, sums: sumUp(rows) };
      },
    );

    app.get(
      '/lamb/v1/organizations/current/usage/export',
      {
        config: { access: 'usage.read' },
        schema: {
          tags,
          summary: 'Usage by day, user, assistant and model, as CSV',
          querystring: UsageDaysQuery,
          response: { 200: { content: { 'text/csv': { schema: z.string() } } } },
        },
      },
      async ({ principal, query }, reply) => {
        const { filter } = chooseRange(query);
        const { rows, currency } = await withTenant(db, principal.organizationId, async (tx) => ({
          rows: await listUsageRows(tx, filter, MAX_ROWS + 1),
          currency: (await getBudgetCaps(tx)).currency,
        }));
        if (rows.length > MAX_ROWS) {
          const message = `That is more than ${String(MAX_ROWS)} rows. Choose fewer days, a user or an assistant.`;
          throw new AppError('invalid_request', { message });
        }
        const header = ['day', 'user', 'assistant_id', 'assistant', 'connector', 'model', 'calls', 'prompt_tokens'];
        const csv = toCsv(
          [...header, 'completion_tokens', 'total_tokens', `cost_${currency}`],
          rows.map((row) => [
            row.day,
            row.userEmail ?? row.userId,
            row.assistantId,
            row.assistantName,
            row.connector,
            row.model,
            row.calls,
            row.promptTokens,
            row.completionTokens,
            row.totalTokens,
            row.costMicros / MICROS,
          ]),
        );
        return await reply
          .header('content-disposition', `attachment; filename="usage-${filter.from}-${filter.to}.csv"`)
          .type('text/csv; charset=utf-8')
          .send(csv);
      },
    );
    done();
  };
}

function toSeries(group: readonly DailyUsage[], days: readonly string[]) {
  const byDay = new Map(group.map((row) => [row.day, row]));
  return {
    key: group[0]?.key ?? null,
    label: group[0]?.label ?? null,
    ...sumUp(group),
    points: days.map((day) => {
      const row = byDay.get(day);
      return { calls: row?.calls ?? 0, total_tokens: row?.totalTokens ?? 0, cost_micros: row?.costMicros ?? 0 };
    }),
  };
}

function sumUp(rows: readonly DailyUsage[]) {
  const sum = (read: (row: DailyUsage) => number) => rows.reduce((total, row) => total + read(row), 0);
  return {
    calls: sum((row) => row.calls),
    prompt_tokens: sum((row) => row.promptTokens),
    completion_tokens: sum((row) => row.completionTokens),
    total_tokens: sum((row) => row.totalTokens),
    cost_micros: sum((row) => row.costMicros),
  };
}
