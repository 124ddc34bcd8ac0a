import { createAnthropicConnector } from '@lamb/connectors/anthropic';
import { createBananaImgConnector } from '@lamb/connectors/banana-img';
import { createBypassConnector } from '@lamb/connectors/bypass';
import { createOllamaConnector } from '@lamb/connectors/ollama';
import { createOpenAiConnector } from '@lamb/connectors/openai';
import { createCatalogue } from '@lamb/engine';
import type { Tool } from '@lamb/plugin-kit';
import { contextAwareAugment } from '@lamb/prompt-processors/context-aware-augment';
import { moodleAugment } from '@lamb/prompt-processors/moodle-augment';
import { multiAugment } from '@lamb/prompt-processors/multi-augment';
import { simpleAugment } from '@lamb/prompt-processors/simple-augment';
import { createSecretBox, openDatabase } from '@lamb/store';
import { assistant } from '@lamb/tools/assistant';
import { imageGen } from '@lamb/tools/image-gen';
import { moodle } from '@lamb/tools/moodle';
import { noRag } from '@lamb/tools/no-rag';
import { patchFile } from '@lamb/tools/patch-file';
import { rubricEval } from '@lamb/tools/rubric-eval';
import { rubricRag } from '@lamb/tools/rubric-rag';
import { simpleRag } from '@lamb/tools/simple-rag';
import { singleFileRag } from '@lamb/tools/single-file-rag';
import { createWeather } from '@lamb/tools/weather';
import { pino } from 'pino';
import { createAuthenticator } from './auth/authenticate.ts';
import { createAuth } from './auth/create-auth.ts';
import { createKeyCache } from './auth/key-cache.ts';
import { createBudgets } from './budget/create-budgets.ts';
import { createUsageRecorder } from './completions/create-usage-recorder.ts';
import type { Config } from './config.ts';
import { createEmbedder } from './knowledge/create-embedder.ts';
import { createMetrics } from './metrics.ts';
import { createOutboundDispatcher } from './outbound/create-outbound-dispatcher.ts';
import { createOutboundFetch } from './outbound/create-outbound-fetch.ts';
import { createResilience } from './resilience/create-resilience.ts';
import { withResilience } from './resilience/with-resilience.ts';
import type { Services } from './services.ts';
import { createTokenCounter } from './tokens/create-token-counter.ts';

/** Builds everything from the configuration: the only place that knows all the parts. Further tools stand beside the product's own. */
export function compose(
  config: Config,
  extra: { readonly tools?: readonly Tool[] } = {},
): Services & { close(): Promise<void> } {
  const log = pino({
    level: config.logLevel,
    redact: ['req.headers.authorization', 'req.headers.cookie', 'headers.authorization', 'headers.cookie'],
  });
  const db = openDatabase(config.databaseUrl, {
    maxConnections: config.databaseConnections,
    onConnectionLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  const auth = createAuth(db, config, log);
  const keyCache = createKeyCache();
  const usageRecorder = createUsageRecorder(db, log);
  const tokenCounter = createTokenCounter();
  const allowedOrigins = new Set([new URL(config.publicUrl).origin, ...config.trustedOrigins]);
  const outbound = createOutboundDispatcher({ allow: config.outboundAllow });
  const metrics = createMetrics();
  const resilience = createResilience({
    metrics,
    onOpened: ({ kind, connector, organizationId }) => {
      log.warn({ kind, connector, organizationId }, 'paused after repeated failures');
    },
  });
  const catalogue = createCatalogue({
    tools: [
      assistant,
      simpleRag,
      rubricRag,
      singleFileRag,
      noRag,
      createWeather(config.weather),
      moodle,
      rubricEval,
      imageGen,
      patchFile,
      ...(extra.tools ?? []),
    ],
    connectors: [
      withResilience(createOpenAiConnector({ dispatcher: outbound }), resilience),
      withResilience(createOllamaConnector({ dispatcher: outbound }), resilience),
      withResilience(createAnthropicConnector({ dispatcher: outbound }), resilience),
      withResilience(createBananaImgConnector({ dispatcher: outbound }), resilience),
      createBypassConnector(),
    ],
    promptProcessors: [simpleAugment, multiAugment, moodleAugment, contextAwareAugment],
  });
  const secretBox = createSecretBox(config.secretKeys);
  const outboundFetch = createOutboundFetch(outbound);
  const budgets = createBudgets(db);
  return {
    config,
    db,
    secretBox,
    auth,
    authenticator: createAuthenticator({ db, auth, keyCache, allowedOrigins }),
    keyCache,
    catalogue,
    outboundFetch,
    tokenCounter,
    usageRecorder,
    budgets,
    resilience,
    embedder: createEmbedder({ db, secretBox, outboundFetch, resilience, budgets, metrics, log, config }),
    runs: undefined,
    metrics,
    log,
    async close() {
      await outbound.close();
      await usageRecorder.flush();
      await tokenCounter.close();
      await db.destroy();
    },
  };
}
