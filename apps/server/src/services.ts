import type { Catalogue } from '@lamb/engine';
import type { Runs } from '@lamb/runs';
import type { Db, SecretBox } from '@lamb/store';
import type { FastifyBaseLogger } from 'fastify';
import type { Authenticator } from './auth/authenticate.ts';
import type { Auth } from './auth/create-auth.ts';
import type { KeyCache } from './auth/key-cache.ts';
import type { Budgets } from './budget/create-budgets.ts';
import type { UsageRecorder } from './completions/create-usage-recorder.ts';
import type { Config } from './config.ts';
import type { Embedder } from './knowledge/create-embedder.ts';
import type { Metrics } from './metrics.ts';
import type { TokenCounter } from './tokens/create-token-counter.ts';
import type { OutboundFetch } from './outbound/create-outbound-fetch.ts';
import type { Resilience } from './resilience/create-resilience.ts';

/** Everything the routes work with, built in one place. */
export interface Services {
  readonly config: Config;
  readonly db: Db;
  readonly secretBox: SecretBox;
  readonly auth: Auth;
  readonly authenticator: Authenticator;
  readonly keyCache: KeyCache;
  readonly catalogue: Catalogue;
  readonly outboundFetch: OutboundFetch;
  readonly tokenCounter: TokenCounter;
  readonly usageRecorder: UsageRecorder;
  readonly budgets: Budgets;
  readonly resilience: Resilience;
  readonly embedder: Embedder;
  /** Undefined in a process that does not execute durable runs. */
  readonly runs: Runs | undefined;
  readonly metrics: Metrics;
  readonly log: FastifyBaseLogger;
}
