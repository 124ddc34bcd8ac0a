import {
  AppError,
  type AttributedSource,
  type Citations,
  type RunEvent,
  type ToolProblem,
  type Usage,
} from '@lamb/contract';
import { addUsage } from './add-usage.ts';
import { estimateUsage } from './estimate-usage.ts';

/** A whole turn as one value. */
export interface CollectedRun {
  readonly runId: string;
  readonly text: string;
  readonly reasoning: string;
  readonly sources: readonly AttributedSource[];
  readonly problems: readonly (ToolProblem & { tool: string; placeholder: string })[];
  readonly usage: Usage;
  readonly finishReason: string;
  readonly citations?: Citations;
}

/**
 * Reads a turn to its end. A failed or cancelled one is thrown as the `AppError` that its event names,
 * and one without an end is an error too, so that half an answer is never taken for a whole one.
 */
export async function collectRun(events: AsyncIterable<RunEvent>): Promise<CollectedRun> {
  let runId = '';
  let text = '';
  let reasoning = '';
  let finishReason: string | undefined;
  let sources: { step: string; source: AttributedSource }[] = [];
  let problems: { step: string; problem: CollectedRun['problems'][number] }[] = [];
  let usage: Usage | undefined;
  let citations: Citations | undefined;
  const textBefore = new Map<string, number>();
  const reasoningBefore = new Map<string, number>();
  for await (const event of events) {
    switch (event.type) {
      case 'run.started':
        runId = event.run_id;
        break;
      case 'text.delta':
        if (!textBefore.has(event.step)) textBefore.set(event.step, text.length);
        text += event.text;
        break;
      case 'reasoning.delta':
        if (!reasoningBefore.has(event.step)) reasoningBefore.set(event.step, reasoning.length);
        reasoning += event.text;
        break;
      case 'source':
        sources.push({ step: event.step, source: event.source });
        break;
      case 'tool.finished':
        if (!event.problem) break;
        problems.push({
          step: event.step,
          problem: { ...event.problem, tool: event.tool, placeholder: event.placeholder },
        });
        break;
      case 'usage':
        usage = usage ? addUsage(usage, event.usage) : event.usage;
        break;
      case 'run.finished':
        finishReason = event.finish_reason;
        citations = event.citations;
        break;
      case 'run.failed':
        throw new AppError(event.code, { message: event.message, details: event.details ?? {} });
      case 'run.cancelled':
        throw new AppError('client_closed_request');
      case 'status':
      case 'tool.started':
      case 'prompt.rendered':
      case 'call.requested':
      case 'call.approval_required':
      case 'call.finished':
        break;
      case 'step.restarted':
        // What an interrupted attempt had said is said again.
        text = text.slice(0, textBefore.get(event.step));
        reasoning = reasoning.slice(0, reasoningBefore.get(event.step));
        sources = sources.filter(({ step }) => step !== event.step);
        problems = problems.filter(({ step }) => step !== event.step);
        break;
    }
  }
  if (finishReason === undefined) throw new AppError('internal_error');
  return {
    runId,
    text,
    reasoning,
    sources: sources.map(({ source }) => source),
    problems: problems.map(({ problem }) => problem),
    usage: usage ?? estimateUsage(0, 0),
    finishReason,
    ...(citations && { citations }),
  };
}
