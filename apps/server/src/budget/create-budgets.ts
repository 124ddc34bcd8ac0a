import { OrganizationConfig } from '@lamb/contract';
import {
  getOrganizationConfig,
  hasBudgetCaps,
  listModelPrices,
  withTenant,
  type Db,
  type ModelPrice,
  type TenantTx,
} from '@lamb/store';

/** What is known of an organisation's limits without asking the database for every call. */
export interface SpendingPolicy {
  /** Whether anybody is held to a cap. Where nobody is, a call costs no query. */
  readonly capped: boolean;
  readonly requestsPerMinute: { readonly key: number | undefined; readonly user: number | undefined };
  findPrice(connector: string, model: string): ModelPrice | undefined;
}

export interface Budgets {
  /** The policy, at most a few seconds old. */
  findPolicy(organizationId: string): Promise<SpendingPolicy>;
  /** To be called when it was changed here; other processes see it a few seconds later. */
  forget(organizationId: string): void;
  /** What time it is: months end by it. */
  now(): Date;
}

interface Remembered {
  readonly policy: Promise<SpendingPolicy>;
  readonly until: number;
}

/** Makes the organisations' budgets. */
export function createBudgets(
  db: Db,
  { ttlMs = 5000, maxOrganizations = 10_000, now = () => new Date() } = {},
): Budgets {
  const known = new Map<string, Remembered>();
  return {
    findPolicy(organizationId) {
      const remembered = known.get(organizationId);
      if (remembered && remembered.until > performance.now()) return remembered.policy;
      const policy = withTenant(db, organizationId, readPolicy);
      // Many calls that arrive together wait for one query; what failed is asked again.
      policy.catch(() => known.delete(organizationId));
      known.delete(organizationId);
      if (known.size >= maxOrganizations) known.delete(known.keys().next().value ?? organizationId);
      known.set(organizationId, { policy, until: performance.now() + ttlMs });
      return policy;
    },
    forget(organizationId) {
      known.delete(organizationId);
    },
    now,
  };
}

async function readPolicy(tx: TenantTx): Promise<SpendingPolicy> {
  const prices = new Map((await listModelPrices(tx)).map((price) => [toKey(price.connector, price.model), price]));
  const { limits } = OrganizationConfig.parse(await getOrganizationConfig(tx));
  const perMinute = limits?.requests_per_minute;
  return {
    capped: await hasBudgetCaps(tx),
    requestsPerMinute:
      typeof perMinute === 'number'
        ? { key: perMinute, user: perMinute }
        : { key: perMinute?.key, user: perMinute?.user },
    findPrice: (connector, model) => prices.get(toKey(connector, model)),
  };
}

const toKey = (connector: string, model: string) => `${connector}/${model}`;
