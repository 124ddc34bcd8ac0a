import { shapeRetrievalQuery, type ShapeQueryInput } from '@lamb/plugin-kit';
import type { Plan } from './plan.ts';
import type { StepScope, TurnPorts, TurnRequest } from './turn-ports.ts';
import { withDeadline } from './with-deadline.ts';

/** How long a question may be thought about before tools search with the person's own words. */
const QUERY_TIMEOUT_MS = 10_000;

/** Makes of a person's message what tools search with. */
export interface QueryShaper {
  /** What all tools search with: the message, or what the prompt processor made of it. */
  shape(): Promise<string>;
  /** The message completed from the conversation, for tools that want it; the model is asked once, however many want it. */
  rewriteQuery(): Promise<string>;
  /** What the message was rewritten to, if it was. */
  rewritten(): string | undefined;
}

/** Makes a shaper for one turn. Whatever goes wrong but the end of the turn, tools search with the person's own words. */
export function createQueryShaper(
  { processor }: Plan,
  { messages }: TurnRequest,
  userInput: string,
  { askSmallModel, reportError }: TurnPorts,
  { emit, signal }: StepScope,
): QueryShaper {
  const ask: ShapeQueryInput['askSmallModel'] =
    askSmallModel &&
    ((prompt, ending) => {
      emit({ type: 'status', text: 'rewriting the question' });
      return askSmallModel(prompt, ending);
    });
  let result: string | undefined;
  const run = async (work: (input: ShapeQueryInput) => Promise<string>, where: string): Promise<string> => {
    try {
      result = await withDeadline(QUERY_TIMEOUT_MS, signal, async (ending) =>
        work({ messages, userInput, askSmallModel: ask, signal: ending }),
      );
      return result;
    } catch (error) {
      signal.throwIfAborted();
      reportError(error, where);
      return userInput;
    }
  };
  let shaping: Promise<string> | undefined;
  const shapeByProcessor = () =>
    processor.shapeQuery &&
    (shaping ??= run((input) => processor.shapeQuery?.(input) ?? Promise.resolve(userInput), processor.name));
  return {
    shape: () => shapeByProcessor() ?? Promise.resolve(userInput),
    rewriteQuery: () => shapeByProcessor() ?? (shaping ??= run(shapeRetrievalQuery, 'rewrite_query')),
    rewritten: () => (result === userInput ? undefined : result),
  };
}
