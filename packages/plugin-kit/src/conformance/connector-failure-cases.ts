import { AppError, type ErrorCode } from '@lamb/contract';
import { expect } from 'vitest';
import type { ConnectorCase } from './connector-case.ts';
import type { RunningStage, StagedReply } from './connector-stage.ts';
import { makeCall, listTokens, numberTokens, runConnector, type ConnectorRun } from './run-connector.ts';

const refusals: readonly (readonly [status: number, code: ErrorCode])[] = [
  // A redirect could take the key to another host, so it is not followed.
  [302, 'provider_unavailable'],
  [307, 'provider_unavailable'],
  [400, 'provider_rejected'],
  [401, 'provider_credentials_rejected'],
  [403, 'provider_credentials_rejected'],
  [404, 'provider_rejected'],
  [422, 'provider_rejected'],
  [429, 'provider_rate_limited'],
  [500, 'provider_unavailable'],
  [503, 'provider_unavailable'],
  [529, 'provider_unavailable'],
];

const shortWaitMs = 300;

/** What happens when the provider does not do its part. */
export const connectorFailureCases: readonly ConnectorCase[] = [
  ...refusals.map(([status, code]): ConnectorCase => ({
    name: `turns status ${status} into ${code}`,
    needs: ['provider'],
    async run(stage) {
      const { error, events } = await runWith(stage, { faults: { status } });
      expect(error).toMatchObject({ name: 'AppError', code });
      expect(events).toEqual([]);
    },
  })),
  {
    name: 'says what the provider said, shortened',
    needs: ['provider'],
    async run(stage) {
      const message = `No such model: x.\n${'Really. '.repeat(500)}`;
      const { error } = await runWith(stage, { faults: { status: 404, error: { message } } });
      const { message: said, details } = asAppError(error);
      expect(said).toContain('No such model: x. Really.');
      expect(said.length).toBeLessThan(500);
      expect(details['provider_message']).toContain('No such model: x.');
    },
  },
  {
    name: 'says how long to wait when the provider does',
    needs: ['provider'],
    async run(stage) {
      const { error } = await runWith(stage, { faults: { status: 429, retryAfterSeconds: 17 } });
      expect(asAppError(error).details['retry_after']).toBe(17);
    },
  },
  ...[400, 401, 429, 500].map((status): ConnectorCase => ({
    name: `keeps the key out of the error when the provider quotes it with status ${status}`,
    needs: ['provider'],
    async run(stage) {
      await checkKeyIsKept(stage, { faults: { status, error: { message: `Bad key ${keyOf(stage)}.` } } });
    },
  })),
  {
    name: 'keeps the key out of the error when the provider quotes it in mid-stream',
    needs: ['provider', 'pieces'],
    async run(stage) {
      const error = { message: `Expired: ${keyOf(stage)}` };
      await checkKeyIsKept(stage, { chunks: listTokens(9), faults: { errorAfterChunks: 3, error } });
    },
  },
  {
    name: 'cannot reach a provider that does not listen',
    needs: ['provider'],
    async run(stage) {
      const { error } = await runConnector(stage.create(), makeCall(stage, { settings: stage.unreachable }));
      expect(error).toMatchObject({ name: 'AppError', code: 'provider_unavailable' });
    },
  },
  {
    name: 'cannot reach a provider whose address makes no sense',
    needs: ['provider'],
    async run(stage) {
      for (const baseUrl of ['not an address', 'file:///etc/passwd', 'http://user:pass@127.0.0.1:9/v1']) {
        const settings = { ...stage.settings, baseUrl };
        const { error } = await runConnector(stage.create(), makeCall(stage, { settings }));
        expect(error).toMatchObject({ name: 'AppError', code: 'provider_unavailable' });
      }
      expect(stage.provider.requests).toEqual([]);
    },
  },
  {
    name: 'gives up on a provider that accepts and never answers',
    needs: ['provider'],
    async run(stage) {
      stage.provider.script({ faults: { hangBeforeHeaders: true } });
      const { error } = await runConnector(stage.create({ timeoutMs: shortWaitMs }), makeCall(stage));
      expect(error).toMatchObject({ name: 'AppError', code: 'provider_unavailable' });
    },
  },
  {
    name: 'reports an answer in one piece that is cut or garbled',
    needs: ['provider'],
    async run(stage) {
      for (const faults of [{ cutAfterChunks: 1 }, { brokenJsonAtChunk: 1 }]) {
        const { error } = await runWith(stage, { chunks: listTokens(3), faults });
        expect(error).toMatchObject({ name: 'AppError', code: 'provider_stream_broken' });
      }
    },
  },
  breaking('is cut', 5, { cutAfterChunks: 5 }),
  breaking('stalls', 5, { hangAfterChunks: 5 }),
  breaking('ends in an error', 5, { errorAfterChunks: 5 }),
  breaking('turns to garbage', 4, { brokenJsonAtChunk: 5 }),
];

function breaking(how: string, arrived: number, faults: NonNullable<StagedReply['faults']>): ConnectorCase {
  return {
    name: `delivers what came before an answer that ${how}, then fails`,
    needs: ['provider', 'pieces'],
    async run(stage) {
      stage.provider.script({ chunks: listTokens(20), intervalMs: 1, faults });
      const { error, text } = await runConnector(stage.create({ timeoutMs: shortWaitMs }), makeCall(stage));
      expect(error).toMatchObject({ name: 'AppError', code: 'provider_stream_broken' });
      expect(text).toBe(numberTokens(arrived));
    },
  };
}

async function runWith(stage: RunningStage, reply: StagedReply): Promise<ConnectorRun> {
  stage.provider.script(reply);
  return await runConnector(stage.create(), makeCall(stage));
}

async function checkKeyIsKept(stage: RunningStage, reply: StagedReply): Promise<void> {
  const { message, details } = asAppError((await runWith(stage, reply)).error);
  expect(JSON.stringify([message, details])).not.toContain(keyOf(stage));
}

function keyOf(stage: RunningStage): string {
  const { apiKey } = stage.settings;
  if (apiKey === undefined) throw new Error('The stage’s settings need a key, so that it can be searched for.');
  return apiKey;
}

function asAppError(error: unknown): AppError {
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}
