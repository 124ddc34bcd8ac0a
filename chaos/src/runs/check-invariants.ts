import type { RunEvent } from '@lamb/contract';
import type { RecordedRequest } from '@lamb/testing';
import { assembleText } from './assemble-text.ts';
import type { Facts, UsageRow } from './collect-facts.ts';
import { hasEnded, type Followed } from './follow-run.ts';
import { askFor, readRunNumber, scriptRun, usageOf } from './script-run.ts';
import type { StartedRun } from './start-numbered-run.ts';

/** Whether an invariant holds, and what was seen. */
export interface Finding {
  readonly name: string;
  readonly holds: boolean;
  readonly seen: string;
}

/** A run as its client knows it. */
export interface Observed extends StartedRun {
  readonly followed: Followed;
}

export interface Outcome {
  readonly wanted: number;
  readonly observed: readonly Observed[];
  readonly facts: Facts;
  /** Answers that no outage excuses. */
  readonly crashes: readonly string[];
  /** Connections that were open after the servers had left. */
  readonly connections: number;
  /** How long the servers took to leave. */
  readonly leaveMs: number;
}

const LEAVE_WITHIN_MS = 30_000;

/** Checks what must hold whatever was killed. */
export function checkInvariants(outcome: Outcome): Finding[] {
  return [
    checkEffects(outcome),
    checkText(outcome),
    checkWrites(outcome),
    checkEnds(outcome),
    checkUsage(outcome),
    checkAnswers(outcome),
  ];
}

/** I1: an effect happens at most once per key; a call that is said to be done has happened, and one that is unknown was not tried again. */
function checkEffects({ facts: { effects, logs } }: Outcome): Finding {
  const counts = new Map([...Map.groupBy(effects, ({ key }) => key)].map(([key, own]) => [key, own.length]));
  const doubled = [...counts].filter(([, count]) => count > 1).length;
  const calls = [...logs].flatMap(([runId, events]) =>
    events.flatMap((event) =>
      event.type === 'call.finished' ? [{ key: `${runId}:${event.call_id}`, outcome: event.outcome }] : [],
    ),
  );
  const last = new Map(calls.map(({ key, outcome }) => [key, outcome]));
  const untrue = [...last].filter(([key, outcome]) => outcome === 'done' && counts.get(key) !== 1).length;
  const strange = [...last].filter(([, outcome]) => outcome !== 'done' && outcome !== 'unknown').length;
  const unknown = [...last].filter(([, outcome]) => outcome === 'unknown');
  const happened = unknown.filter(([key]) => counts.has(key)).length;
  return {
    name: 'I1 effects at most once per key',
    holds: doubled === 0 && untrue === 0 && strange === 0 && counts.size > 0,
    seen:
      `${counts.size} effects, ${doubled} doubled; ${last.size} calls, ${untrue} done without effect, ${strange} failed, ` +
      `${unknown.length} unknown (${happened} had happened) and shown as such`,
  };
}

/** I2: what the client put together = what the log says = what the model said. */
function checkText({ observed, facts: { logs } }: Outcome): Finding {
  const isWrong = ({ number, runId, followed }: Observed): boolean => {
    const { first, second } = scriptRun(number);
    const script = [...first, ...second].join('');
    const log = logs.get(runId) ?? [];
    return (
      followed.gaps > 0 ||
      log.some((event, index) => event.seq !== index + 1) ||
      assembleText(followed.events) !== script ||
      assembleText(log) !== script ||
      !isWhole(log)
    );
  };
  const wrong = observed.filter(isWrong);
  const reconnects = observed.map(({ followed }) => followed.reconnects);
  const restarted = [...logs.values()].filter((log) => log.some(({ type }) => type === 'step.restarted')).length;
  return {
    name: 'I2 text of the client = log = script',
    holds: wrong.length === 0 && observed.length > 0,
    seen:
      `${observed.length} runs, ${wrong.length} wrong${name(wrong)}; ${sum(reconnects)} reconnects (at most ` +
      `${Math.max(0, ...reconnects)} in a run), ${restarted} runs with restarted steps`,
  };
}

/** Nothing is said after the end. */
function isWhole(log: readonly RunEvent[]): boolean {
  return hasEnded(log) && !log.slice(0, -1).some((_, index) => hasEnded(log.slice(0, index + 1)));
}

/** I3: what was acknowledged is there. */
function checkWrites({ observed, facts: { runs, messages, logs } }: Outcome): Finding {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const missing = observed.filter(({ runId }) => byId.get(runId)?.status !== 'finished');
  const inChats = observed.filter(({ chatId }) => chatId !== undefined);
  const wrongChats = inChats.filter(({ runId, chatId, number }) => {
    const own = messages.filter((message) => message.runId === runId && message.chatId === chatId);
    const said = own.filter(({ role }) => role === 'user');
    const answered = own.filter(({ role }) => role === 'assistant');
    return (
      said.length !== 1 ||
      answered.length !== 1 ||
      said[0]?.content !== askFor(number) ||
      answered[0]?.content !== assembleText(logs.get(runId) ?? [])
    );
  });
  return {
    name: 'I3 acknowledged writes survive',
    holds: missing.length === 0 && wrongChats.length === 0 && observed.length > 0,
    seen:
      `${observed.length} acknowledged runs, ${missing.length} missing or not finished${name(missing)}; ` +
      `${inChats.length} chats, ${wrongChats.length} without question or answer${name(wrongChats)}`,
  };
}

/** I5: every run ends in time, also one whose start nobody heard of; nothing is left behind. */
function checkEnds({ wanted, observed, facts: { runs, left, logs }, connections, leaveMs }: Outcome): Finding {
  const open = runs.filter(
    ({ id, status }) => status === 'running' || status === 'waiting' || !hasEnded(logs.get(id) ?? []),
  );
  const unfollowed = wanted - observed.filter(({ followed }) => hasEnded(followed.events)).length;
  const unheard = runs.length - observed.length;
  const isClean = left.leases === 0 && left.workflows === 0 && left.deadExecutors === 0 && connections === 0;
  return {
    name: 'I5 every run ends, nothing is left',
    holds: open.length === 0 && unfollowed === 0 && isClean && leaveMs < LEAVE_WITHIN_MS,
    seen:
      `${runs.length} runs (${unheard} whose start was not answered), ${open.length} open, ${unfollowed} without an end for the client; ` +
      `left: ${left.leases} leases, ${left.workflows} workflows, ${left.deadExecutors} dead executors, ${connections} connections; ` +
      `left within ${leaveMs} ms`,
  };
}

/**
 * I6: the ledger and the provider agree, as far as a killed process can know. For each turn of each run: the answers that
 * the run went on with (one) ≤ the finished answers in the ledger ≤ the answers that the provider finished, each with
 * exactly the provider's figures. They differ only by answers whose process died between the provider's last byte and the
 * booking; a run that was not interrupted has no such answer, and there all three are equal.
 */
function checkUsage({ facts: { runs, usage, requests, budget } }: Outcome): Finding {
  const booked = Map.groupBy(usage, ({ runId }) => runId);
  const finished = runs.filter(({ status }) => status === 'finished');
  const provided = Map.groupBy(requests, describeRequest);
  let unbooked = 0;
  let invented = 0;
  let died = 0;
  for (const [number, sameNumber] of Map.groupBy(finished, (run) => run.number)) {
    for (const turn of [1, 2] as const) {
      const wanted = usageOf(number, turn);
      const perRun = sameNumber.map(({ id }) => countBooked(booked.get(id) ?? [], wanted));
      unbooked += perRun.filter((count) => count < 1).length;
      const answered = (provided.get(`${number}:${turn}`) ?? []).filter(({ finishedAt }) => finishedAt !== undefined);
      const spare = answered.length - sum(perRun);
      if (spare < 0) invented -= spare;
      else died += spare;
    }
  }
  const whole = usage.filter(({ outcome }) => outcome === 'finished');
  const isCounted = budget.settled === budget.booked && budget.reserved === 0 && budget.reservations === 0;
  const strange = whole.filter(({ estimated }) => estimated).length;
  return {
    name: 'I6 usage = the provider’s count',
    holds: unbooked === 0 && invented === 0 && strange === 0 && isCounted && finished.length > 0,
    seen:
      `${whole.length} answers booked, ${unbooked} not booked, ${invented} booked but not given, ${strange} estimated; ` +
      `${died} answers died with the process that heard them; ` +
      `budget: ${budget.settled} of ${budget.booked} tokens counted, ${budget.reserved} set aside for ${budget.reservations} calls`,
  };
}

/** I7: who comes while something is down is told to come again, and nothing else. */
function checkAnswers({ crashes }: Outcome): Finding {
  const kinds = [...Map.groupBy(crashes, (each) => each)].map(([kind, same]) => `${same.length} × ${kind}`);
  return {
    name: 'I7 refusals are 503',
    holds: crashes.length === 0,
    seen: `${crashes.length} other 5xx${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}`,
  };
}

function countBooked(rows: readonly UsageRow[], wanted: { promptTokens: number; completionTokens: number }): number {
  return rows.filter(
    ({ outcome, promptTokens, completionTokens }) =>
      outcome === 'finished' && promptTokens === wanted.promptTokens && completionTokens === wanted.completionTokens,
  ).length;
}

function describeRequest({ body }: RecordedRequest): string {
  const { messages = [] } = body as { messages?: { role: string }[] };
  const turn = messages.some(({ role }) => role === 'tool') ? 2 : 1;
  return `${readRunNumber(JSON.stringify(messages)) ?? 'none'}:${turn}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** A few of them, to look at. */
function name(runs: readonly Observed[]): string {
  const some = runs.slice(0, 3).map(({ number, runId }) => `${number}=${runId}`);
  return some.length === 0 ? '' : ` (${some.join(', ')})`;
}
