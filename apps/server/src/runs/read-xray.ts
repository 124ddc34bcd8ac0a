import { messageText, RunTrace, type ChatMessage, type Principal, type PromptSpan, type RunXray } from '@lamb/contract';
import { getAssistantAccess, getRun, listRunTraces, withTenant, type StoredRunTrace, type TenantTx } from '@lamb/store';
import { authorizeAssistant } from '../access/authorize-assistant.ts';
import { authorize } from '../access/authorize.ts';
import { decide } from '../access/decide.ts';
import { computeCost } from '../budget/compute-cost.ts';
import type { ContextRecord, ModelRecord } from '../completions/trace-texts.ts';
import type { Services } from '../services.ts';
import { composeXray } from './compose-xray.ts';
import { standingOf } from './find-run.ts';
import { listAllRunEvents } from './list-all-run-events.ts';
import { listFunctions } from './list-functions.ts';
import { RunInput } from './run-input.ts';

/**
 * What was recorded of a run, for those who may edit its assistant; of a draft, for the person who tried it. The texts are
 * for the person whose conversation it is.
 */
export async function readXray(services: Services, principal: Principal, runId: string): Promise<RunXray> {
  const { db, budgets, tokenCounter, catalogue } = services;
  const { organizationId } = principal;
  const { traces, events, functions, isOwn } = await withTenant(db, organizationId, async (tx) => {
    const found = await listRunTraces(tx, runId);
    const run = await getRun(tx, runId);
    const input = run && RunInput.pick({ isDraft: true, assistant: true }).parse(run.input);
    const standing = run && standingOf(run, principal);
    if (input?.isDraft) authorize(principal, 'run.read', found[0] && standing);
    else await authorizeReader(tx, principal, found[0]);
    const isOwnRun = standing !== undefined && decide(principal, 'run.read', standing);
    return {
      traces: found,
      isOwn: isOwnRun,
      events: run ? await listAllRunEvents(tx, run) : [],
      functions: input ? listFunctions(input.assistant.metadata, catalogue) : [],
    };
  });
  const records = traces
    .filter(({ step }) => step !== 'context')
    .map(({ trace }) => trace as unknown as ModelRecord)
    .toSorted((left, right) => left.sent.length - right.sent.length);
  const [used] = records;
  const context = readContext(runId, traces, used);
  const policy = await budgets.findPolicy(organizationId);
  const price = policy.findPrice(used?.connector ?? context.connector, used?.model ?? context.model);
  return await composeXray({
    context,
    functions,
    answers: isOwn ? records : [],
    events,
    countTokens: (texts) => (texts.length === 0 ? Promise.resolve([]) : tokenCounter.count(texts)),
    priceOf: (prompt, completion) => computeCost(price, prompt, completion),
  });
}

async function authorizeReader(tx: TenantTx, principal: Principal, trace: StoredRunTrace | undefined): Promise<void> {
  const access = trace && (await getAssistantAccess(tx, trace.assistantId, principal.userId));
  authorizeAssistant(principal, 'trace.read', access);
}

/** Where the process died while the context was being recorded, there is none, and each message is shown as one piece. */
function readContext(runId: string, traces: readonly StoredRunTrace[], answer: ModelRecord | undefined): ContextRecord {
  const found = traces.find(({ step }) => step === 'context')?.trace as ContextRecord | undefined;
  if (found) return { ...RunTrace.parse(found), truncated: found.truncated ?? [] };
  const sent = answer?.sent ?? [];
  const lastUser = sent.findLastIndex(({ role }) => role === 'user');
  const prompt = sent.map((message, index) => ({
    message: index,
    role: message.role,
    origin: originOf(message.role, index === lastUser),
    start: 0,
    chars: messageText(message).length,
    tokens: 0,
  }));
  return {
    run_id: runId,
    assistant_id: traces[0]?.assistantId ?? 0,
    connector: answer?.connector ?? '',
    model: answer?.model ?? '',
    tools: [],
    prompt,
    prompt_tokens: answer?.usage.prompt_tokens ?? 0,
  };
}

function originOf(role: ChatMessage['role'], isQuestion: boolean): PromptSpan['origin'] {
  if (role === 'system') return 'system_prompt';
  return isQuestion ? 'user_input' : 'history';
}
