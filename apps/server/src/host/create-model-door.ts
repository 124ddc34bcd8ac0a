import { AppError } from '@lamb/contract';
import { ToolFailure, type ToolHost } from '@lamb/plugin-kit';
import type { RunContext } from '../completions/book-usage.ts';
import { createModelAsker } from '../completions/create-model-asker.ts';
import type { Services } from '../services.ts';

/** The way for a tool to ask the model of a run one thing; it is booked on that run. */
export function createModelDoor(
  run: RunContext,
  services: Services,
  expected: { images?: number } = {},
): ToolHost['model']['ask'] {
  const ask = createModelAsker(run.model, run, services, expected);
  return async (messages, signal) => {
    try {
      return await ask(messages, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AppError) throw new ToolFailure(error.message, { cause: error });
      throw error;
    }
  };
}
