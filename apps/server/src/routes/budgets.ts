import {
  AppError,
  BudgetsBody,
  BudgetsResource,
  Caps as CapsBody,
  MemberQuery,
  MyBudget,
  PricesBody,
  PricesResource,
  UserBudgetPage,
  type Principal,
} from '@lamb/contract';
import {
  findBudgetMonth,
  getBudgetCaps,
  getCapsFor,
  getMember,
  listMembers,
  listModelPrices,
  listUnpricedModels,
  putBudgetCaps,
  putModelPrices,
  readCounter,
  recordAudit,
  setUserCaps,
  sumUsage,
  sumUsageOfUsers,
  withTenant,
  type Caps,
  type Spend,
  type TenantTx,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import type { Services } from '../services.ts';

const tags = ['Budgets'];
const Params = z.object({ id: z.string().max(64) });
const toWire = ({ tokens, micros }: Caps) => ({ tokens, cost_micros: micros });
const toSpent = ({ tokens, micros }: Spend) => ({ tokens, cost_micros: micros });
const fromWire = (caps: { tokens: number | null; cost_micros: number | null }): Caps => ({
  tokens: caps.tokens,
  micros: caps.cost_micros,
});

/** What an organisation and its people may spend in a month, and what models cost. */
export function budgetRoutes({ db, budgets }: Services): FastifyPluginCallbackZod {
  const month = () => findBudgetMonth(budgets.now());

  /** What was used this month, and what is set aside for calls under way. */
  async function readSpent(tx: TenantTx, userId?: string): Promise<{ used: Spend; reserved: Spend }> {
    const { totalTokens, costMicros } = await sumUsage(tx, { from: month().from, to: month().until, userId });
    const { reserved } = await readCounter(tx, userId ?? tx.organizationId, month());
    return { used: { tokens: totalTokens, micros: costMicros }, reserved };
  }

  async function readBudgets(tx: TenantTx) {
    const caps = await getBudgetCaps(tx);
    const { used, reserved } = await readSpent(tx);
    return {
      currency: caps.currency,
      organization: toWire(caps.organization),
      user_default: toWire(caps.userDefault),
      users: caps.users.map((user) => ({ user_id: user.userId, ...toWire(user) })),
      used: toSpent(used),
      reserved: toSpent(reserved),
      until: toUnixSeconds(month().until),
    };
  }

  async function readPrices(tx: TenantTx) {
    const prices = await listModelPrices(tx);
    return {
      currency: (await getBudgetCaps(tx)).currency,
      prices: prices.map(({ connector, model, promptMicros, completionMicros, imageMicros }) => ({
        connector,
        model,
        prompt_micros: promptMicros,
        completion_micros: completionMicros,
        image_micros: imageMicros,
      })),
      unpriced: await listUnpricedModels(tx, month().from),
    };
  }

  return (app, _options, done) => {
    app.get(
      '/lamb/v1/organizations/current/budgets',
      {
        config: { access: 'budget.configure' },
        schema: { tags, summary: 'Read the caps and what is used', response: { 200: BudgetsResource } },
      },
      async ({ principal }) => await withTenant(db, principal.organizationId, readBudgets),
    );

    app.put(
      '/lamb/v1/organizations/current/budgets',
      {
        config: { access: 'budget.configure' },
        schema: { tags, summary: 'Replace the caps', body: BudgetsBody, response: { 200: BudgetsResource } },
      },
      async ({ principal: { organizationId, userId }, body }) => {
        const reply = await withTenant(db, organizationId, async (tx) => {
          const strangers = await putBudgetCaps(
            tx,
            {
              currency: body.currency,
              organization: fromWire(body.organization),
              userDefault: fromWire(body.user_default),
              users: body.users.map((user) => ({ userId: user.user_id, ...fromWire(user) })),
            },
            budgets.now(),
          );
          if (strangers.length > 0) {
            const message = `Not members of this organisation: ${strangers.slice(0, 10).join(', ')}.`;
            throw new AppError('invalid_request', { message, details: { param: 'users' } });
          }
          const subject = `organization:${organizationId}`;
          await recordAudit(tx, { actorId: userId, action: 'organization.budgets_changed', subject });
          return await readBudgets(tx);
        });
        budgets.forget(organizationId);
        return reply;
      },
    );

    app.get(
      '/lamb/v1/organizations/current/budgets/users',
      {
        config: { access: 'budget.configure' },
        schema: {
          tags,
          summary: 'Each member’s caps, and what they used this month',
          querystring: MemberQuery,
          response: { 200: UserBudgetPage },
        },
      },
      async ({ principal, query }) =>
        await withTenant(db, principal.organizationId, async (tx) => {
          const page = await listMembers(tx, query);
          const { userDefault, users } = await getBudgetCaps(tx);
          const own = new Map(users.map((user) => [user.userId, user]));
          const ids = page.items.map(({ id }) => id);
          const lastDay = new Date(month().until.getTime() - 1).toISOString().slice(0, 10);
          const used = await sumUsageOfUsers(tx, { from: month().day, to: lastDay }, ids);
          return {
            items: page.items.map(({ id, email, name }) => ({
              user_id: id,
              email,
              name,
              caps: toWire(own.get(id) ?? userDefault),
              own: own.has(id),
              used: toSpent(used.get(id) ?? { tokens: 0, micros: 0 }),
            })),
            next_cursor: page.nextCursor,
          };
        }),
    );

    const changeCaps = async ({ organizationId, userId }: Principal, id: string, caps: Caps | null) => {
      await withTenant(db, organizationId, async (tx) => {
        const member = z.uuid().safeParse(id).success ? await getMember(tx, id.toLowerCase()) : undefined;
        if (!member) throw new AppError('not_found');
        await setUserCaps(tx, member.id, caps, budgets.now());
        const details = { own: caps !== null };
        const subject = `user:${member.id}`;
        await recordAudit(tx, { actorId: userId, action: 'organization.budgets_changed', subject, details });
      });
      budgets.forget(organizationId);
    };

    app.put(
      '/lamb/v1/organizations/current/budgets/users/:id',
      {
        config: { access: 'budget.configure' },
        schema: {
          tags,
          summary: 'Give a member caps of their own',
          params: Params,
          body: CapsBody,
          response: { 204: z.null() },
        },
      },
      async ({ principal, params, body }, reply) => {
        await changeCaps(principal, params.id, fromWire(body));
        return await reply.code(204).send(null);
      },
    );

    app.delete(
      '/lamb/v1/organizations/current/budgets/users/:id',
      {
        config: { access: 'budget.configure' },
        schema: {
          tags,
          summary: 'Give a member the caps of everybody again',
          params: Params,
          response: { 204: z.null() },
        },
      },
      async ({ principal, params }, reply) => {
        await changeCaps(principal, params.id, null);
        return await reply.code(204).send(null);
      },
    );

    app.get(
      '/lamb/v1/organizations/current/prices',
      {
        config: { access: 'budget.configure' },
        schema: { tags, summary: 'Read the price table', response: { 200: PricesResource } },
      },
      async ({ principal }) => await withTenant(db, principal.organizationId, readPrices),
    );

    app.put(
      '/lamb/v1/organizations/current/prices',
      {
        config: { access: 'budget.configure' },
        schema: { tags, summary: 'Replace the price table', body: PricesBody, response: { 200: PricesResource } },
      },
      async ({ principal: { organizationId, userId }, body }) => {
        const reply = await withTenant(db, organizationId, async (tx) => {
          await putModelPrices(
            tx,
            body.prices.map(({ connector, model, prompt_micros, completion_micros, image_micros }) => ({
              connector,
              model,
              promptMicros: prompt_micros,
              completionMicros: completion_micros,
              imageMicros: image_micros,
            })),
          );
          const subject = `organization:${organizationId}`;
          await recordAudit(tx, { actorId: userId, action: 'organization.prices_changed', subject });
          return await readPrices(tx);
        });
        budgets.forget(organizationId);
        return reply;
      },
    );

    app.get(
      '/lamb/v1/me/budget',
      {
        config: { access: 'me.read' },
        schema: { tags, summary: 'What is left for you this month', response: { 200: MyBudget } },
      },
      async ({ principal: { organizationId, userId } }) =>
        await withTenant(db, organizationId, async (tx) => {
          const { currency } = await getBudgetCaps(tx);
          const caps = await getCapsFor(tx, userId);
          const own = await readSpent(tx, userId);
          const all = await readSpent(tx);
          const left = (which: keyof Caps) =>
            least(
              subtract(caps.user[which], own.used[which] + own.reserved[which]),
              subtract(caps.organization[which], all.used[which] + all.reserved[which]),
            );
          return {
            currency,
            caps: toWire(caps.user),
            used: toSpent(own.used),
            left: toWire({ tokens: left('tokens'), micros: left('micros') }),
            until: toUnixSeconds(month().until),
          };
        }),
    );
    done();
  };
}

function subtract(cap: number | null, taken: number): number | null {
  return cap === null ? null : Math.max(0, cap - taken);
}

function least(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
