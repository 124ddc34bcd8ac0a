import { sql, type Generated } from 'kysely';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface ModelPriceTable {
  organization_id: Generated<string>;
  connector: string;
  model: string;
  prompt_micros: number;
  completion_micros: number;
  image_micros: Generated<number>;
}

/** What a million tokens of a model, and one image, cost the organisation, in millionths of its currency. */
export interface ModelPrice {
  connector: string;
  model: string;
  promptMicros: number;
  completionMicros: number;
  imageMicros: number;
}

export async function listModelPrices(tx: TenantTx): Promise<ModelPrice[]> {
  return await executePrepared(
    tx,
    tx
      .selectFrom('lamb.model_prices')
      .select(['connector', 'model', 'prompt_micros as promptMicros', 'completion_micros as completionMicros'])
      .select('image_micros as imageMicros')
      .orderBy('connector')
      .orderBy('model'),
  );
}

/** Replaces the organisation's price table. */
export async function putModelPrices(tx: TenantTx, prices: readonly ModelPrice[]): Promise<void> {
  await tx.deleteFrom('lamb.model_prices').execute();
  const column = <Value>(read: (price: ModelPrice) => Value): Value[] => prices.map(read);
  await sql`
    insert into lamb.model_prices (connector, model, prompt_micros, completion_micros, image_micros)
    select * from unnest(
      ${column((price) => price.connector)}::text[],
      ${column((price) => price.model)}::text[],
      ${column((price) => price.promptMicros)}::bigint[],
      ${column((price) => price.completionMicros)}::bigint[],
      ${column((price) => price.imageMicros)}::bigint[]
    )`.execute(tx);
}

/** The models that were used since then and have no price: what they cost counts as nothing. */
export async function listUnpricedModels(tx: TenantTx, since: Date): Promise<{ connector: string; model: string }[]> {
  return await tx
    .selectFrom('lamb.usage_ledger as used')
    .select(['used.connector', 'used.model'])
    .distinct()
    .where('used.created_at', '>=', since)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('lamb.model_prices as price')
            .select('price.model')
            .whereRef('price.connector', '=', 'used.connector')
            .whereRef('price.model', '=', 'used.model'),
        ),
      ),
    )
    .orderBy('used.connector')
    .orderBy('used.model')
    .limit(1000)
    .execute();
}
