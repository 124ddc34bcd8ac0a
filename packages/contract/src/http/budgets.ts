import { z } from 'zod';
import { pageOf } from './paging.ts';

const Amount = z.number().int().min(0).max(1e15);
const hasNoRepeats = (keys: readonly string[]) => new Set(keys).size === keys.length;

/** How much may be used in a calendar month (UTC): tokens, and money in millionths of the currency; null is no cap. */
export const Caps = z
  .object({ tokens: Amount.nullable().default(null), cost_micros: Amount.nullable().default(null) })
  .meta({ id: 'Caps' });

const noCaps = { tokens: null, cost_micros: null };

/** The caps of an organisation: of all together, of each user, and of the users named, whose caps replace those of each. */
export const BudgetsBody = z
  .object({
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be a code of three letters, as EUR')
      .default('EUR'),
    organization: Caps.default(noCaps),
    user_default: Caps.default(noCaps),
    users: z
      .array(Caps.extend({ user_id: z.uuid() }))
      .max(10_000)
      .refine((users) => hasNoRepeats(users.map((user) => user.user_id)), 'names a user twice')
      .default([]),
  })
  .meta({ id: 'BudgetsBody' });

const Spent = z.object({ tokens: z.number().int(), cost_micros: z.number().int() });

/** The caps of an organisation, and what this month used and has set aside for calls under way. */
export const BudgetsResource = BudgetsBody.extend({
  used: Spent,
  reserved: Spent,
  until: z.number().int(),
}).meta({ id: 'BudgetsResource' });

/** A page of members with what holds for each of them this month, and what they used of it. */
export const UserBudgetPage = pageOf(
  z.object({
    user_id: z.string(),
    email: z.string(),
    name: z.string(),
    caps: Caps,
    /** Whether the caps are this user's own, or those of everybody. */
    own: z.boolean(),
    used: Spent,
  }),
).meta({ id: 'UserBudgetPage' });

/** What is left of this month for whoever asks: of their own caps or the organisation's, whichever is less; null is no cap. */
export const MyBudget = z
  .object({ currency: z.string(), caps: Caps, used: Spent, left: Caps, until: z.number().int() })
  .meta({ id: 'MyBudget' });

const Price = z.number().int().min(0).max(1e12);
const Name = z.string().trim().min(1).max(300);

/** What a million tokens of each model cost, and each image that it makes, in millionths of the organisation's currency. */
export const PricesBody = z
  .object({
    prices: z
      .array(
        z.object({
          connector: Name,
          model: Name,
          prompt_micros: Price,
          completion_micros: Price,
          image_micros: Price.default(0),
        }),
      )
      .max(5000)
      .refine((prices) => hasNoRepeats(prices.map((each) => `${each.connector}/${each.model}`)), 'names a model twice'),
  })
  .meta({ id: 'PricesBody' });

/** The price table, and the models that were used this month without a price: they count as free. */
export const PricesResource = PricesBody.extend({
  currency: z.string(),
  unpriced: z.array(z.object({ connector: z.string(), model: z.string() })),
}).meta({ id: 'PricesResource' });
