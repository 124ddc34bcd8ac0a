import { expect, vi } from 'vitest';
import type { ConnectorCase } from './connector-case.ts';
import type { RunningStage } from './connector-stage.ts';
import { joinText, makeCall, listTokens, numberTokens, runConnector } from './run-connector.ts';

const promptlyMs = 100;
const reason = new Error('The reader went away.');

/** What happens when the reader stops, or is slow. */
export const connectorClosingCases: readonly ConnectorCase[] = [
  {
    name: 'does nothing when it is already aborted',
    needs: [],
    async run(stage) {
      const { error, events } = await runConnector(
        stage.create(),
        makeCall(stage, { signal: AbortSignal.abort(reason) }),
      );
      expect(error).toBe(reason);
      expect(events).toEqual([]);
      expect(stage.provider.requests).toEqual([]);
    },
  },
  {
    name: 'closes the connection at once when it is aborted before the answer',
    needs: ['provider'],
    async run(stage) {
      stage.provider.script({ faults: { hangBeforeHeaders: true } });
      const aborting = new AbortController();
      const running = runConnector(stage.create(), makeCall(stage, { signal: aborting.signal }));
      await vi.waitFor(() => expect(stage.provider.requests).toHaveLength(1));
      const abortedAt = Date.now();
      aborting.abort(reason);
      expect((await running).error).toBe(reason);
      await checkClosed(stage, abortedAt);
    },
  },
  {
    name: 'closes the connection at once when it is aborted in the middle of the answer',
    needs: ['provider', 'pieces'],
    async run(stage) {
      stage.provider.script({ chunks: listTokens(20), intervalMs: 1, faults: { hangAfterChunks: 3 } });
      const aborting = new AbortController();
      let abortedAt = 0;
      const { error, text } = await runConnector(
        stage.create(),
        makeCall(stage, { signal: aborting.signal }),
        (soFar) => {
          if (soFar !== numberTokens(3)) return;
          abortedAt = Date.now();
          aborting.abort(reason);
        },
      );
      expect(error).toBe(reason);
      expect(text).toBe(numberTokens(3));
      await checkClosed(stage, abortedAt);
    },
  },
  {
    name: 'closes the connection at once when the reader leaves the loop',
    needs: ['provider', 'pieces'],
    async run(stage) {
      stage.provider.script({ chunks: listTokens(20), intervalMs: 1, faults: { hangAfterChunks: 3 } });
      let leftAt = 0;
      for await (const batch of stage.create().stream(makeCall(stage))) {
        leftAt = Date.now();
        if (batch.length > 0) break;
      }
      await checkClosed(stage, leftAt);
    },
  },
  {
    name: 'does not buffer without bound for a slow reader',
    needs: ['provider', 'pieces'],
    async run(stage) {
      const pieces = Array.from({ length: 500 }, (_, index) => `${index} ${'x'.repeat(32 * 1024)}`);
      stage.provider.script({ chunks: pieces });
      const before = stage.countReceivedBytes();
      const texts: string[] = [];
      for await (const batch of stage.create().stream(makeCall(stage))) {
        if (texts.length === 0) {
          const received = (await settle(stage.countReceivedBytes)) - before;
          expect(received, 'bytes read while the reader waits, of 16 million').toBeLessThan(2_000_000);
        }
        texts.push(joinText(batch));
      }
      expect(texts.join('') === pieces.join(''), 'the text is complete').toBe(true);
    },
  },
];

async function checkClosed(stage: RunningStage, since: number): Promise<void> {
  const closedAt = await vi.waitFor(() => {
    const [request] = stage.provider.requests;
    if (request?.closedEarlyAt === undefined) throw new Error('The provider’s connection is still open.');
    return request.closedEarlyAt;
  });
  expect(closedAt - since).toBeLessThanOrEqual(promptlyMs);
}

/** Waits until a count no longer changes. */
async function settle(count: () => number): Promise<number> {
  let last = -1;
  let unchanged = 0;
  await vi.waitFor(
    () => {
      const now = count();
      unchanged = now === last ? unchanged + 1 : 0;
      last = now;
      if (unchanged < 5) throw new Error('It still changes.');
    },
    { interval: 20, timeout: 10_000 },
  );
  return last;
}
