import { defineTool, type Tool } from '@lamb/plugin-kit';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

/** How long the world takes after the effect has happened. */
const AFTERWARDS_MS = 100;

interface EffectToolOptions {
  readonly ledgerUrl: string;
  /** The planted bug: a tool whose effects add up says that it may be repeated. */
  readonly isRepeated: boolean;
}

/** A tool whose effects are counted elsewhere. In some runs it takes its own process down, just before the effect or just after it. */
export function createEffectTool({ ledgerUrl, isRepeated }: EffectToolOptions): Tool {
  return defineTool({
    name: 'chaos_effect',
    version: '1.0',
    category: 'utility',
    title: 'Effect',
    description: 'Does something that can be counted.',
    config: z.object({}),
    function: {
      name: () => 'effect',
      description: () => 'Do something that can be counted.',
      input: z.object({ number: z.number().int(), part: z.number().int() }),
      effect: isRepeated ? 'idempotent' : 'once',
      timeoutMs: 30_000,
      async run({ arguments: { number, part }, idempotencyKey }) {
        if (!isRepeated && diesBeforeEffect(number) && part === 0) process.kill(process.pid, 'SIGKILL');
        const response = await fetch(`${ledgerUrl}/effects`, {
          method: 'POST',
          body: JSON.stringify({ key: idempotencyKey, number, part }),
        });
        const { count } = (await response.json()) as { count: number };
        if (diesAfterEffect(number) && part === 0 && count === 1) process.kill(process.pid, 'SIGKILL');
        await wait(AFTERWARDS_MS * Math.random());
        return { content: `Effect ${part} of run ${number} is done.` };
      },
    },
  });
}

function diesBeforeEffect(number: number): boolean {
  return number % 40 === 25;
}

function diesAfterEffect(number: number): boolean {
  return number % 40 === 5;
}
