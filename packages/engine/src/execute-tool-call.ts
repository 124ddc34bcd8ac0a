import type { CallOutcome, Source, ToolCall } from '@lamb/contract';
import { ToolFailure, ToolRefusal, ToolResult, type CitablePassage } from '@lamb/plugin-kit';
import { isCitable, type FoundResult } from './number-result.ts';
import type { PlannedFunction } from './plan-functions.ts';
import type { Plan } from './plan.ts';
import type { ExecutionPorts, StepScope } from './turn-ports.ts';
import { DeadlinePassed, withDeadline } from './with-deadline.ts';

/** What the model is told of a call. */
interface CallReply {
  readonly content: string;
  readonly outcome: CallOutcome;
  readonly problem?: string;
  readonly artifacts?: ToolResult['artifacts'];
  readonly passages?: readonly CitablePassage[];
  readonly sources?: readonly Source[];
}

/** The text that the model is told; or what is still to be numbered, so that it can cite it. Plain JSON, for the journal. */
export type CallResult = string | FoundResult;

interface ReadyCall {
  readonly planned: PlannedFunction;
  readonly arguments: Record<string, unknown>;
}

/**
 * Takes one call of the model through find, authorise and validate, and runs it. Undefined: it waits for approval, and is
 * then finished by `finishApprovedCall`. Whatever goes wrong is told to the model.
 */
export async function startToolCall(
  plan: Plan,
  call: ToolCall,
  refusal: string | undefined,
  ports: ExecutionPorts,
): Promise<CallResult | undefined> {
  const { planned, ref } = identify(plan, call);
  if (!planned?.needsApproval) {
    return await ports.step(`call:${call.id}`, (scope) =>
      tell(ref, scope, async () => {
        const ready = await checkCall(plan, planned, call, refusal, ports);
        return 'content' in ready ? ready : await runCall(ready, call, ports, scope);
      }),
    );
  }
  const refused = await ports.step(`ask:${call.id}`, async (scope) => {
    const ready = await checkCall(plan, planned, call, refusal, ports);
    if ('content' in ready) return await tell(ref, scope, () => Promise.resolve(ready));
    if (!ports.approve) return await tell(ref, scope, () => Promise.resolve(cannotAsk));
    scope.emit({ type: 'call.approval_required', ...ref, arguments: call.function.arguments });
    return null;
  });
  return refused ?? undefined;
}

/** Waits for the decision about a call, and runs it or tells the model that it was rejected. */
export async function finishApprovedCall(plan: Plan, call: ToolCall, ports: ExecutionPorts): Promise<CallResult> {
  const { planned, ref } = identify(plan, call);
  const decision = await ports.approve?.(call.id);
  return await ports.step(`call:${call.id}`, (scope) =>
    tell(ref, scope, async () => {
      if (decision !== 'approved') return rejected;
      // Days may have passed since it was asked for.
      const ready = await checkCall(plan, planned, call, undefined, ports);
      return 'content' in ready ? ready : await runCall(ready, call, ports, scope);
    }),
  );
}

interface CallRef {
  readonly call_id: string;
  readonly name: string;
  readonly tool: string | null;
}

function identify(plan: Plan, call: ToolCall): { planned: PlannedFunction | undefined; ref: CallRef } {
  const { name } = call.function;
  const planned = plan.functions.find(({ spec }) => spec.name === name);
  return { planned, ref: { call_id: call.id, name, tool: planned?.type ?? null } };
}

/** Does the work of a call and tells how it ended. Sources that are to be numbered are told when they are. */
async function tell(ref: CallRef, { emit, signal }: StepScope, work: () => Promise<CallReply>): Promise<CallResult> {
  const started = performance.now();
  const { content, passages, sources = [], ...ending } = await work();
  const milliseconds = Math.round((performance.now() - started) * 10) / 10;
  const chars = (passages ?? []).reduce((sum, { text }) => sum + text.length, content.length);
  emit({ type: 'call.finished', ...ref, milliseconds, chars, ...ending });
  const tool = ref.tool ?? ref.name;
  const attribute = (source: Source) => ({ ...source, tool, placeholder: ref.name });
  const found: FoundResult = {
    content,
    ...(passages && { passages: passages.map(({ text, source }) => ({ text, source: attribute(source) })) }),
    sources: sources.map(attribute),
  };
  const citable = isCitable(found);
  if (!citable) for (const source of found.sources) emit({ type: 'source', source });
  emit({ type: 'status', text: `${tool} ${ending.outcome === 'done' ? 'completed' : 'failed'}` });
  // How the call ended is told even of a turn that ends here.
  signal.throwIfAborted();
  return citable ? found : content;
}

const cannotAsk: CallReply = {
  content: 'This function needs the person’s approval, and they cannot be asked here. Go on without it.',
  outcome: 'refused',
  problem: 'It needs approval, and nobody can be asked.',
};

const rejected: CallReply = {
  content: 'The person rejected this call. Do not try it again; go on without it.',
  outcome: 'rejected',
};

async function checkCall(
  plan: Plan,
  planned: PlannedFunction | undefined,
  call: ToolCall,
  refusal: string | undefined,
  { authorizeCall, reportError, reportRefusal }: ExecutionPorts,
): Promise<ReadyCall | CallReply> {
  if (refusal !== undefined) return refuse(refusal);
  if (!planned) {
    await reportRefusal(call, 'unknown_function');
    const known = plan.functions.map(({ spec }) => spec.name).join(', ');
    return refuse(`There is no function “${call.function.name.slice(0, 100)}”. Known: ${known}.`);
  }
  const forbidden = await authorizeCall(planned);
  if (forbidden !== undefined) {
    await reportRefusal(call, 'forbidden');
    return refuse(forbidden);
  }
  try {
    return validateArguments(planned, call.function.arguments);
  } catch (error) {
    reportError(error, planned.type);
    return fail('The arguments could not be checked.');
  }
}

const MAX_ARGUMENT_CHARS = 1_000_000;

function validateArguments(planned: PlannedFunction, text: string): ReadyCall | CallReply {
  if (text.length > MAX_ARGUMENT_CHARS) return fail('The arguments are too long.');
  let given: unknown;
  try {
    given = text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return fail('The arguments are not valid JSON. Send one JSON object.');
  }
  const parsed = planned.tool.function?.input.safeParse(given);
  if (!parsed) return fail('This function cannot be called.');
  if (parsed.success) return { planned, arguments: parsed.data };
  const issues = parsed.error.issues.map(
    ({ path, message }) => `${path.map(String).join('.') || 'arguments'}: ${message}`,
  );
  return fail(`The arguments are not valid. ${issues.join('; ')}`);
}

async function runCall(
  { planned, arguments: given }: ReadyCall,
  call: ToolCall,
  { openHost, runId, reportError }: ExecutionPorts,
  scope: StepScope,
): Promise<CallReply> {
  const isOnce = planned.effect === 'once';
  if (isOnce && (await scope.begin()) === 'restarted') return lose('It was interrupted.');
  scope.signal.throwIfAborted();
  scope.emit({ type: 'status', text: `calling ${planned.type}`, tool: planned.type });
  /** How it ended if nobody knows: an effect that must happen once may have happened, or may still happen. */
  const giveUp = isOnce ? lose : fail;
  try {
    const raw = await withDeadline(planned.timeoutMs, scope.signal, async (signal) =>
      planned.tool.function?.run({
        config: planned.config,
        arguments: given,
        idempotencyKey: `${runId}:${call.id}`,
        host: openHost({ callId: call.id, emit: scope.emit }),
        signal,
      }),
    );
    const result = ToolResult.safeParse(raw);
    return result.success ? toReply(result.data) : giveUp('It returned something that is not a result.');
  } catch (error) {
    if (!isOnce) scope.signal.throwIfAborted();
    if (error instanceof DeadlinePassed) return giveUp(`It took longer than ${String(planned.timeoutMs)} ms.`);
    if (error instanceof ToolRefusal) return refuse(error.message);
    if (error instanceof ToolFailure) return fail(error.message);
    if (scope.signal.aborted) return lose('It was interrupted.');
    reportError(error, planned.type);
    return giveUp('It failed unexpectedly.');
  }
}

const MAX_RESULT_CHARS = 200_000;
const MAX_SOURCES = 1000;

function toReply({ content, passages, error, artifacts, sources }: ReturnType<typeof ToolResult.parse>): CallReply {
  const shown = content.length > MAX_RESULT_CHARS ? `${content.slice(0, MAX_RESULT_CHARS)}\n[cut here]` : content;
  const extra = {
    ...(passages && { passages: takeWhatFits(passages, MAX_RESULT_CHARS - shown.length) }),
    sources: sources.slice(0, MAX_SOURCES),
    ...(artifacts ? { artifacts } : {}),
  };
  if (error === undefined) return { content: shown, outcome: 'done', ...extra };
  return { content: shown === '' ? error : `${shown}\n\n${error}`, outcome: 'failed', problem: error, ...extra };
}

function takeWhatFits(passages: readonly CitablePassage[], room: number): CitablePassage[] {
  let left = room;
  return passages.slice(0, MAX_SOURCES).filter(({ text }) => (left -= text.length) >= 0);
}

function fail(problem: string): CallReply {
  return { content: problem, outcome: 'failed', problem };
}

function lose(problem: string): CallReply {
  return {
    content: `${problem} It is not known whether it took effect. Tell the person, and do not repeat it.`,
    outcome: 'unknown',
    problem: `${problem} Whether it took effect is not known.`,
  };
}

function refuse(problem: string): CallReply {
  return { content: problem, outcome: 'refused', problem };
}
