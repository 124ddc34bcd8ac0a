import type { AttributedSource, ChatMessage, ToolProblem } from '@lamb/contract';
import { ToolFailure, ToolResult, type ToolHost } from '@lamb/plugin-kit';
import { isCitable, numberResult, type FoundResult } from './number-result.ts';
import type { Plan, PlannedTool } from './plan.ts';
import { fillTemplate, placeholdersOf } from './template.ts';
import type { EventBody } from './event-sequence.ts';
import type { HostScope } from './turn-ports.ts';
import { DeadlinePassed, withDeadline } from './with-deadline.ts';

/** What one tool contributed; a tool that failed contributes its fallback and a problem. */
export interface GatheredTool {
  readonly planned: PlannedTool;
  readonly level: number;
  readonly content: string;
  readonly sources: readonly AttributedSource[];
  /** Whether the model is to cite from it with `[n]`. */
  readonly citable: boolean;
  readonly milliseconds: number;
  readonly problem?: ToolProblem;
}

/** What a tool contributed, before it is numbered. */
interface UnnumberedTool extends Omit<GatheredTool, 'content' | 'sources' | 'citable'> {
  readonly found: FoundResult;
}

export interface GatherInput {
  readonly userInput: string;
  /** What tools search with: the person's message, or what the prompt processor made of it. */
  readonly query: string;
  /** The question completed from the conversation, for tools that want it. It rejects only when the turn is over. */
  readonly rewriteQuery: () => Promise<string>;
  readonly messages: readonly ChatMessage[];
  readonly processorValues: ReadonlyMap<string, string>;
  readonly openHost: (scope: HostScope) => ToolHost;
  /** Takes errors that nobody foresaw to the operator's log; the turn only says that something failed. */
  readonly reportError: (error: unknown, tool: string) => void;
  readonly signal: AbortSignal;
}

/** Runs the plan's context tools, each as soon as what it refers to is there. A failing tool is a value, never an exception. */
export async function gatherContext(
  plan: Plan,
  input: GatherInput,
  emit: (event: EventBody) => void,
): Promise<readonly GatheredTool[]> {
  const values = new Map([['user_input', input.userInput], ...input.processorValues]);
  const filled = new Map<string, Promise<UnnumberedTool>>();
  const gatherWhenReady = async (planned: PlannedTool, level: number): Promise<UnnumberedTool> => {
    const needs = referencesOf(planned).flatMap((name) => filled.get(name) ?? []);
    if (needs.length > 0) await Promise.all(needs);
    input.signal.throwIfAborted();
    const result = await gatherOne(planned, level, values, input, emit);
    values.set(planned.placeholder, toPlainText(result.found));
    return result;
  };
  const all = plan.levels.flatMap((tools, level) =>
    tools.map((planned) => {
      const gathering = gatherWhenReady(planned, level);
      filled.set(planned.placeholder, gathering);
      return gathering;
    }),
  );
  const gathered = numberInOrder(await Promise.all(all));
  input.signal.throwIfAborted();
  if (gathered.length > 0) emit({ type: 'status', text: 'merging tool outputs' });
  for (const { sources } of gathered) for (const source of sources) emit({ type: 'source', source });
  return gathered;
}

/** Numbers what the tools found in the order of the plan, whichever was ready first. */
function numberInOrder(tools: readonly UnnumberedTool[]): GatheredTool[] {
  let last: number | undefined;
  return tools.map(({ found, ...tool }) => {
    const { content, sources, lastNumber } = numberResult(found, last);
    last = lastNumber;
    return { ...tool, content, sources, citable: isCitable(found) };
  });
}

/** What other tools that refer to it search with; numbers would only be in their way. */
function toPlainText({ content, passages = [] }: FoundResult): string {
  return [content, ...passages.map(({ text }) => text)].filter((text) => text !== '').join('\n\n');
}

function referencesOf({ ready }: PlannedTool): string[] {
  return 'problem' in ready ? [] : [...ready.templates.values()].flatMap(placeholdersOf);
}

async function gatherOne(
  planned: PlannedTool,
  level: number,
  values: ReadonlyMap<string, string>,
  input: GatherInput,
  emit: (event: EventBody) => void,
): Promise<UnnumberedTool> {
  const ref = { tool: planned.type, placeholder: planned.placeholder };
  const query = wantsRewriting(planned, input) ? await input.rewriteQuery() : input.query;
  const started = performance.now();
  for (const text of statusTexts(planned, input)) emit({ type: 'status', text, tool: planned.type });
  emit({ type: 'tool.started', ...ref });
  const host = input.openHost({ callId: `context:${planned.placeholder}`, emit });
  const { problem, ...result } = await runTool(planned, values, { ...input, query }, host);
  const isEmpty = result.content === '' && (result.passages ?? []).length === 0;
  const found: FoundResult = {
    content: isEmpty && problem ? planned.fallback : result.content,
    ...(result.passages && {
      passages: result.passages.map(({ text, source }) => ({ text, source: { ...source, ...ref } })),
    }),
    sources: (result.sources ?? []).map((source) => ({ ...source, ...ref })),
  };
  const milliseconds = Math.round((performance.now() - started) * 10) / 10;
  const outcome = { milliseconds, ...(problem ? { problem } : {}) };
  emit({ type: 'tool.finished', ...ref, ok: !problem, chars: toPlainText(found).length, ...outcome });
  emit({ type: 'status', text: `${planned.type} ${problem ? 'failed' : 'completed'}`, tool: planned.type });
  return { planned, level, found, ...outcome };
}

function wantsRewriting(planned: PlannedTool, { reportError }: GatherInput): boolean {
  if ('problem' in planned.ready) return false;
  const { tool, config } = planned.ready;
  try {
    return tool.context?.rewritesQuery?.({ config }) === true;
  } catch (error) {
    reportError(error, planned.type);
    return false;
  }
}

function statusTexts(planned: PlannedTool, { reportError }: GatherInput): readonly string[] {
  const plain = [`calling ${planned.type}`];
  if ('problem' in planned.ready) return plain;
  const { tool, config } = planned.ready;
  try {
    const said: unknown = tool.context?.status?.({ config });
    const texts: readonly unknown[] = Array.isArray(said) ? said : [said];
    return texts.every((text) => typeof text === 'string') ? texts : plain;
  } catch (error) {
    reportError(error, planned.type);
    return plain;
  }
}

interface ToolOutcome extends Pick<ToolResult, 'content' | 'passages' | 'sources'> {
  readonly problem?: ToolProblem;
}

async function runTool(
  planned: PlannedTool,
  values: ReadonlyMap<string, string>,
  input: GatherInput,
  host: ToolHost,
): Promise<ToolOutcome> {
  if ('problem' in planned.ready) return { content: '', problem: planned.ready.problem };
  const { tool, config, templates } = planned.ready;
  const rendered: Record<string, unknown> = { ...config };
  for (const [field, template] of templates) rendered[field] = fillTemplate(template, values, () => '');
  try {
    const raw = await withDeadline(planned.timeoutMs, input.signal, async (signal) =>
      tool.context?.run({ config: rendered, query: input.query, messages: input.messages, host, signal }),
    );
    return readResult(raw);
  } catch (error) {
    return { content: '', problem: toProblem(error, planned, input) };
  }
}

// Far beyond what a model reads and a person looks at: a tool that returns more is broken, and would take the turn with it.
const MAX_CONTENT_CHARS = 2_000_000;
const MAX_SOURCES = 1000;

function readResult(raw: unknown): ToolOutcome {
  const refuse = (message: string): ToolOutcome => ({ content: '', problem: { code: 'invalid_result', message } });
  const result = ToolResult.safeParse(raw);
  if (!result.success) return refuse('It returned something that is not a result.');
  const { content, passages, sources, error } = result.data;
  const chars = (passages ?? []).reduce((sum, { text }) => sum + text.length, content.length);
  if (chars > MAX_CONTENT_CHARS) {
    return refuse(`It returned ${String(chars)} characters; at most ${String(MAX_CONTENT_CHARS)} fit.`);
  }
  const places = sources.length + (passages?.length ?? 0);
  if (places > MAX_SOURCES) {
    return refuse(`It returned ${String(places)} sources; at most ${String(MAX_SOURCES)} fit.`);
  }
  const found = { content, sources, ...(passages && { passages }) };
  return { ...found, ...(error === undefined ? {} : { problem: { code: 'failed', message: error } }) };
}

/** What may be said of a failure. The text of an unexpected error can hold anything, so it is never repeated. */
function toProblem(error: unknown, planned: PlannedTool, input: GatherInput): ToolProblem {
  if (error instanceof DeadlinePassed) {
    return { code: 'timeout', message: `It took longer than ${String(planned.timeoutMs)} ms.` };
  }
  if (input.signal.aborted) return { code: 'cancelled', message: 'The turn ended before it was done.' };
  if (error instanceof ToolFailure) return { code: 'failed', message: error.message };
  input.reportError(error, planned.type);
  return { code: 'failed', message: 'It failed unexpectedly.' };
}
