import { readMetadata, type Principal } from '@lamb/contract';
import { compilePlan, type OpenModel, type Plan } from '@lamb/engine';
import {
  getOrganizationConfigWithSecrets,
  withTenant,
  type Assistant,
  type AssistantAccess,
  type TenantTx,
} from '@lamb/store';
import { authorizeAssistant } from '../access/authorize-assistant.ts';
import { leaveOutForbiddenCallees } from '../assistants/check-callees.ts';
import { migrateOnAccess } from '../assistants/migrate-on-access.ts';
import { readOrganizationSetup, type OrganizationSetup } from '../organization/read-organization-setup.ts';
import type { Services } from '../services.ts';
import { resolveModel } from './resolve-model.ts';

/** An assistant that may be used, ready to run. */
export interface LoadedTurn {
  readonly assistant: Assistant;
  readonly setup: OrganizationSetup;
  readonly plan: Plan;
  readonly model: OpenModel;
}

/** Loads, authorises and compiles an assistant, and finds its model. */
export async function loadTurn(
  services: Services,
  principal: Principal,
  find: (tx: TenantTx) => Promise<AssistantAccess | undefined>,
): Promise<LoadedTurn> {
  return await openTurn(services, principal, async (tx, config) => {
    const access = await find(tx);
    authorizeAssistant(principal, 'assistant.use', access);
    return await migrateOnAccess(tx, access.assistant, config, services.catalogue);
  });
}

/** Compiles an assistant that `find` has authorised, and finds its model. */
export async function openTurn(
  { db, secretBox, catalogue }: Services,
  { organizationId }: Principal,
  find: (tx: TenantTx, config: Record<string, unknown>) => Promise<Assistant>,
): Promise<LoadedTurn> {
  const { assistant, setup, metadata } = await withTenant(db, organizationId, async (tx) => {
    const config = await getOrganizationConfigWithSecrets(tx, secretBox);
    const found = await find(tx, config);
    const read = readMetadata(found.metadata, found);
    return {
      assistant: found,
      setup: readOrganizationSetup(organizationId, config),
      metadata: await leaveOutForbiddenCallees(tx, found, read.metadata, catalogue),
    };
  });
  const { plan } = compilePlan({ ...assistant, metadata }, catalogue);
  return { assistant, setup, plan, model: resolveModel(plan, setup, catalogue) };
}
