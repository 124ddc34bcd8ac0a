import { readMetadata, type Principal, type RunEvent } from '@lamb/contract';
import { compilePlan, runTurn, type TurnRequest } from '@lamb/engine';
import { getOrganizationConfigWithSecrets, withTenant, type AssistantAccess, type TenantTx } from '@lamb/store';
import { randomUUID } from 'node:crypto';
import { authorizeAssistant } from '../access/authorize-assistant.ts';
import { createToolHost } from '../host/create-tool-host.ts';
import { readOrganizationSetup } from '../organization/read-organization-setup.ts';
import type { Services } from '../services.ts';
import { createModelAsker } from './create-model-asker.ts';
import { recordRun } from './record-run.ts';
import { recordTrace } from './record-trace.ts';
import { resolveModel, resolveSmallModel } from './resolve-model.ts';

interface Turn {
  readonly assistantId: number;
  readonly events: AsyncIterable<RunEvent>;
}

/** Loads, authorises and compiles an assistant, and gives the events of one turn with it. What is wrong before the turn begins is thrown. */
export async function startTurn(
  services: Services,
  principal: Principal,
  find: (tx: TenantTx) => Promise<AssistantAccess | undefined>,
  request: TurnRequest,
  signal: AbortSignal,
): Promise<Turn> {
  const { db, secretBox, catalogue, tokenCounter, log } = services;
  const { access, setup } = await withTenant(db, principal.organizationId, async (tx) => ({
    access: await find(tx),
    setup: readOrganizationSetup(await getOrganizationConfigWithSecrets(tx, secretBox)),
  }));
  authorizeAssistant(principal, 'assistant.use', access);
  const { assistant } = access;
  const { metadata } = readMetadata(assistant.metadata, assistant);
  const { plan } = compilePlan({ ...assistant, metadata }, catalogue);
  const model = resolveModel(plan, setup, catalogue);
  const smallModel = resolveSmallModel(setup, catalogue);
  const runId = randomUUID();
  const run = { principal, runId, assistantId: assistant.id, model };
  const events = runTurn(plan, request, {
    runId,
    endUser: principal.endUser,
    host: createToolHost(services, { organizationId: principal.organizationId, ownerId: assistant.ownerId, setup }),
    model,
    askSmallModel: smallModel && createModelAsker(smallModel, run, services),
    countTokens: tokenCounter.count,
    recordTrace: (trace) => {
      recordTrace(trace, run, services);
    },
    reportError: (error, where) => {
      log.error({ err: error, runId, where }, 'unexpected error in a turn');
    },
    authorizeCall: () => Promise.resolve('Functions are not called yet.'),
    approve: undefined,
    now: Date.now,
    signal,
  });
  return { assistantId: assistant.id, events: recordRun(events, run, services) };
}
