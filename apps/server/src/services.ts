import type { Catalogue } from '@lamb/engine';
import type { Db, SecretBox } from '@lamb/store';
import type { FastifyBaseLogger } from 'fastify';
import type { Authenticator } from './auth/authenticate.ts';
import type { Auth } from './auth/create-auth.ts';
import type { KeyCache } from './auth/key-cache.ts';
import type { UsageRecorder } from './completions/create-usage-recorder.ts';
import type { Config } from './config.ts';
import type { Metrics } from './metrics.ts';
import type { TokenCounter } from './tokens/create-token-counter.ts';
import type { OutboundFetch } from './outbound/create-outbound-fetch.ts';

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
  readonly metrics: Metrics;
  readonly log: FastifyBaseLogger;
}
