import type {
  Artifact,
  AttributedSource,
  CallOutcome,
  Citations,
  RunAnswer,
  RunEvent,
  ToolProblem,
} from '@lamb/contract';

/** A context tool: what it gathers goes into the prompt. */
export interface ToolStep {
  readonly step: string;
  readonly tool: string;
  readonly placeholder: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly milliseconds?: number;
  readonly problem?: ToolProblem;
}

/** A function that the model called. */
export interface AnswerCall {
  readonly step: string;
  readonly id: string;
  readonly name: string;
  readonly tool: string | null;
  readonly state: 'requested' | 'waiting' | CallOutcome;
  /** What it is to be called with, where somebody has to decide about it. */
  readonly arguments?: string;
  readonly milliseconds?: number;
  readonly problem?: string;
  readonly artifacts: readonly Artifact[];
  /** What another assistant did that was asked by this call. */
  readonly child?: Answer;
}

/** An answer as far as it is known. */
export interface Answer {
  readonly status: RunAnswer['status'];
  readonly text: string;
  /** The same, by the step that said it: of one that is begun again, nothing counts. */
  readonly said: readonly { readonly step: string; readonly text: string }[];
  readonly reasoning: string;
  readonly tools: readonly ToolStep[];
  readonly calls: readonly AnswerCall[];
  readonly sources: readonly (AttributedSource & { readonly step?: string })[];
  readonly citations: Citations | null;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
  } | null;
}

/** An answer of which nothing has arrived yet. */
export const emptyAnswer: Answer = {
  status: 'running',
  text: '',
  said: [],
  reasoning: '',
  tools: [],
  calls: [],
  sources: [],
  citations: null,
  error: null,
};

/** Whether nothing more comes. */
export function isOver({ status }: Pick<Answer, 'status'>): boolean {
  return status !== 'running' && status !== 'waiting';
}

/** An answer as the server tells it in one piece. */
export function fromRunAnswer(run: RunAnswer): Answer {
  return {
    status: run.status,
    text: run.text,
    said: [{ step: '', text: run.text }],
    reasoning: '',
    tools: run.tools.map(({ ok, ...tool }) => ({ ...tool, step: '', state: ok ? 'done' : 'failed' })),
    calls: run.calls.map(({ call_id: id, artifacts = [], ...call }) => ({ ...call, step: '', id, artifacts })),
    sources: run.sources,
    citations: run.citations,
    error: run.error,
  };
}

/** The answer after what has happened since. Those events are taken at once, so that they are drawn once. */
export function applyEvents(answer: Answer, events: readonly RunEvent[]): Answer {
  return events.reduce(applyEvent, answer);
}

function applyEvent(answer: Answer, event: RunEvent): Answer {
  const { parent_call_id: parent } = event;
  if (parent !== undefined) {
    return changeCall(answer, parent, (call) => {
      const { parent_call_id: _, ...own } = event;
      return { ...call, child: applyEvent(call.child ?? emptyAnswer, own) };
    });
  }
  const { step } = event;
  switch (event.type) {
    case 'text.delta':
      return say(answer, step, event.text);
    case 'reasoning.delta':
      return { ...answer, reasoning: answer.reasoning + event.text };
    case 'tool.started': {
      const { tool, placeholder } = event;
      return { ...answer, tools: [...answer.tools, { step, tool, placeholder, state: 'running' }] };
    }
    case 'tool.finished': {
      const { tool, placeholder, ok, milliseconds, problem } = event;
      const others = answer.tools.filter((each) => each.placeholder !== placeholder);
      const before = answer.tools.findIndex((each) => each.placeholder === placeholder);
      const done: ToolStep = {
        step,
        tool,
        placeholder,
        state: ok ? 'done' : 'failed',
        milliseconds,
        ...(problem ? { problem } : {}),
      };
      return { ...answer, tools: others.toSpliced(before < 0 ? others.length : before, 0, done) };
    }
    case 'source':
      return { ...answer, sources: [...answer.sources, { ...event.source, step }] };
    case 'call.requested':
    case 'call.approval_required': {
      const { call_id: id, name, tool } = event;
      const isWaiting = event.type === 'call.approval_required';
      const known = answer.calls.find((each) => each.id === id);
      const given = 'arguments' in event && typeof event.arguments === 'string' ? { arguments: event.arguments } : {};
      const call: AnswerCall = {
        step: known?.step ?? step,
        id,
        name,
        tool,
        state: isWaiting ? 'waiting' : 'requested',
        artifacts: [],
        ...given,
      };
      const calls = known ? answer.calls.map((each) => (each.id === id ? call : each)) : [...answer.calls, call];
      return { ...answer, calls, status: isWaiting ? 'waiting' : answer.status };
    }
    case 'call.finished': {
      const { call_id: id, name, tool, outcome, milliseconds, problem, artifacts = [] } = event;
      const ended = { state: outcome, milliseconds, artifacts, ...(problem === undefined ? {} : { problem }) };
      const isKnown = answer.calls.some((each) => each.id === id);
      const told = isKnown
        ? changeCall(answer, id, (call) => ({ ...call, ...ended }))
        : { ...answer, calls: [...answer.calls, { step, id, name, tool, ...ended }] };
      return { ...told, status: told.calls.some(({ state }) => state === 'waiting') ? 'waiting' : 'running' };
    }
    case 'step.restarted':
      return forgetStep(answer, step);
    case 'run.finished':
      return { ...answer, status: 'finished', citations: event.citations ?? null };
    case 'run.failed':
      return {
        ...answer,
        status: 'failed',
        error: { code: event.code, message: event.message, ...(event.details && { details: event.details }) },
      };
    case 'run.cancelled':
      return { ...answer, status: 'cancelled' };
    default:
      return answer;
  }
}

function say(answer: Answer, step: string, text: string): Answer {
  const last = answer.said.at(-1);
  const said =
    last?.step === step
      ? [...answer.said.slice(0, -1), { step, text: last.text + text }]
      : [...answer.said, { step, text }];
  return { ...answer, said, text: answer.text + text };
}

function changeCall(answer: Answer, id: string, change: (call: AnswerCall) => AnswerCall): Answer {
  return { ...answer, calls: answer.calls.map((call) => (call.id === id ? change(call) : call)) };
}

/** A step that is begun again says everything anew. */
function forgetStep(answer: Answer, step: string): Answer {
  const others = <Item extends { readonly step?: string }>(items: readonly Item[]) =>
    items.filter((item) => item.step !== step);
  const said = others(answer.said);
  const calls = others(answer.calls).map((call) => {
    if (step !== `call:${call.id}`) return call;
    const { child: _, ...rest } = call;
    return rest;
  });
  return {
    ...answer,
    said,
    text: said.map(({ text }) => text).join(''),
    tools: others(answer.tools),
    calls,
    sources: others(answer.sources),
  };
}
