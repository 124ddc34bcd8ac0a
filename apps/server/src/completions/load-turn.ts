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
  { db, secretBox, catalogue }: Services,
  principal: Principal,
  find: (tx: TenantTx) => Promise<AssistantAccess | undefined>,
): Promise<LoadedTurn> {
  const { assistant, setup, metadata } = await withTenant(db, principal.organizationId, async (tx) => {
    const access = await find(tx);
    const config = await getOrganizationConfigWithSecrets(tx, secretBox);
    authorizeAssistant(principal, 'assistant.use', access);
    const read = readMetadata(access.assistant.metadata, access.assistant);
    return {
      assistant: access.assistant,
      setup: readOrganizationSetup(principal.organizationId, config),
      metadata: await leaveOutForbiddenCallees(tx, access.assistant, read.metadata, catalogue),
    };
  });
  const { plan } = compilePlan({ ...assistant, metadata }, catalogue);
  return { assistant, setup, plan, model: resolveModel(plan, setup, catalogue) };
}
