import { expect } from 'vitest';
import { ToolFailure } from '../tool-failure.ts';
import type { ToolHost } from '../tool-host.ts';
import { ToolResult } from '../tool-result.ts';
import { breakHost, hangHost } from './hostile-host.ts';
import type { ToolCase } from './tool-case.ts';

/** Put where a secret or a document's text could be; it must never come out. */
export const CANARY = 'canary-7f3a91-must-not-leave';
const PATIENCE_MS = 1000;

type Start = (host: ToolHost, signal: AbortSignal) => Promise<ToolResult>;

/** The rules of a run, whatever started it. */
export function runCases(prefix: string, start: Start, host: ToolHost): ToolCase[] {
  return [
    {
      name: `${prefix}does not start when already aborted`,
      run: () => checkAborted(() => start(host, AbortSignal.abort())),
    },
    { name: `${prefix}stops when aborted while it waits`, run: () => checkAbortedWhileWaiting(start, host) },
    { name: `${prefix}fails without giving anything away`, run: () => checkFailure(start, host) },
  ];
}

/** Checks what a successful run gives. */
export function checkResult(result: ToolResult): void {
  expect(ToolResult.safeParse(result).error).toBeUndefined();
  expect(result.error).toBeUndefined();
}

async function checkAborted(start: () => Promise<ToolResult>): Promise<void> {
  const outcome = await settle(start);
  expect(outcome.rejected, 'call signal.throwIfAborted() before anything else').toBe(true);
}

async function checkAbortedWhileWaiting(start: Start, host: ToolHost): Promise<void> {
  const controller = new AbortController();
  const hanging = hangHost(host);
  const running = settle(() => start(hanging.host, controller.signal));
  const first = await Promise.race([running.then(() => 'done'), hanging.waiting.then(() => 'waiting')]);
  // A tool that asks the host for nothing has nothing to wait for.
  if (first === 'done') return;
  controller.abort();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, 'late');
  });
  const outcome = await Promise.race([running, late]);
  clearTimeout(timer);
  if (outcome === 'late') expect.fail('it goes on after an abort: pass `signal` to every call of the host');
  expect(outcome.rejected, 'an aborted run must reject, not return a result').toBe(true);
}

async function checkFailure(start: Start, host: ToolHost): Promise<void> {
  const broken = breakHost(host, CANARY);
  const outcome = await settle(() => start(broken.host, new AbortController().signal));
  if (!broken.wasAsked()) return;
  if (!outcome.rejected) {
    expect(outcome.result.error, 'a result without what it needs must say so in `error`').toMatch(/\S/);
    expect(JSON.stringify(outcome.result)).not.toContain(CANARY);
    return;
  }
  // The engine tells a creator the message of a ToolFailure; of any other error it says nothing.
  if (outcome.error instanceof ToolFailure) expect(outcome.error.message).not.toContain(CANARY);
  else expect(outcome.error, 'pass on the error of the host, or throw a ToolFailure').toBe(broken.error);
}

type Outcome = { rejected: false; result: ToolResult } | { rejected: true; error: unknown };

async function settle(start: () => Promise<ToolResult>): Promise<Outcome> {
  try {
    return { rejected: false, result: await start() };
  } catch (error) {
    return { rejected: true, error };
  }
}
