import type { RunAnswer, RunEvent } from '@lamb/contract';

/** A run so far, in one piece. Of a step that was begun again, only the last attempt counts. */
export function summarizeRun(
  run: { readonly id: string; readonly status: RunAnswer['status'] },
  events: readonly RunEvent[],
): RunAnswer {
  const attempts = new Map<string, number>();
  for (const { step, attempt } of events) attempts.set(step, Math.max(attempts.get(step) ?? 1, attempt));
  const answer: RunAnswer = {
    run_id: run.id,
    status: run.status,
    text: '',
    sources: [],
    citations: null,
    tools: [],
    calls: [],
    error: null,
    last_seq: events.at(-1)?.seq ?? 0,
  };
  const calls = new Map<string, RunAnswer['calls'][number]>();
  for (const event of events) {
    // What an assistant did that was asked by this one is told to those who watch, and is no part of the answer.
    if (event.attempt !== attempts.get(event.step) || event.parent_call_id !== undefined) continue;
    switch (event.type) {
      case 'text.delta':
        answer.text += event.text;
        break;
      case 'source':
        answer.sources.push(event.source);
        break;
      case 'tool.finished': {
        const { tool, placeholder, ok, milliseconds, problem } = event;
        answer.tools.push({ tool, placeholder, ok, milliseconds, ...(problem ? { problem } : {}) });
        break;
      }
      case 'call.requested':
      case 'call.approval_required': {
        const { call_id, name, tool } = event;
        const isWaiting = event.type === 'call.approval_required';
        const asked = isWaiting && event.arguments !== undefined ? { arguments: event.arguments } : {};
        calls.set(call_id, { call_id, name, tool, state: isWaiting ? 'waiting' : 'requested', ...asked });
        break;
      }
      case 'call.finished': {
        const { call_id, name, tool, outcome, milliseconds, problem, artifacts } = event;
        const told = { ...(problem === undefined ? {} : { problem }), ...(artifacts ? { artifacts } : {}) };
        calls.set(call_id, { call_id, name, tool, state: outcome, milliseconds, ...told });
        break;
      }
      case 'run.finished':
        answer.citations = event.citations ?? null;
        break;
      case 'run.failed':
        answer.error = { code: event.code, message: event.message, ...(event.details && { details: event.details }) };
        break;
      default:
    }
  }
  answer.calls = [...calls.values()];
  return answer;
}
