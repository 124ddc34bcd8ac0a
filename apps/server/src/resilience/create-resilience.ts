import { ExponentialBackoff, type IBackoff } from 'cockatiel';
import { setTimeout as wait } from 'node:timers/promises';
import type { Metrics } from '../metrics.ts';
import { createBreaker, type Breaker } from './create-breaker.ts';
import { createRetryBudget, type RetryBudget } from './create-retry-budget.ts';
import { registerResilienceMetrics } from './register-resilience-metrics.ts';
import { TargetPaused } from './target-paused.ts';
import type { Outcome, Verdict } from './verdict.ts';

/** Something outside that may fail. Each organisation has its own, so that none can spoil another’s. */
export interface Target {
  readonly kind: 'provider' | 'embedding' | 'kb' | 'moodle' | 'web';
  /** The connector’s name, for providers; the wire, for embeddings. */
  readonly connector: string;
  readonly organizationId: string;
  /** Where it is; targets differ by its origin. */
  readonly url: string;
}

/** A call and how to tell what its outcome means. */
export interface GuardedCall<Result> {
  readonly target: Target;
  readonly signal: AbortSignal;
  /** One attempt; made again only for outcomes whose verdict says so. */
  attempt(): Promise<Result>;
  judge(outcome: Outcome<Result>): Verdict;
}

/** Calls what may fail: with a breaker, and with retries within a budget, per target. */
export interface Resilience {
  /** Gives the outcome of the last attempt. Throws `TargetPaused` when there was none, and the signal’s reason when it was aborted. */
  run<Result>(call: GuardedCall<Result>): Promise<Result>;
}

interface ResilienceOptions {
  readonly metrics: Pick<Metrics, 'registry'>;
  /** Told of each target that is paused, for the log. */
  readonly onOpened?: (target: Target) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** Resolves after this time, rejects when aborted. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

interface Policy {
  readonly target: Target;
  readonly breaker: Breaker;
  readonly budget: RetryBudget;
}

const MAX_TARGETS = 2_000;
const MAX_RETRIES = 2;
const BACKOFF = new ExponentialBackoff({ initialDelay: 200, maxDelay: 2_000 });
/** A target that asks for more time than this is not waited for: the caller is told instead. */
const LONGEST_ASKED_WAIT_MS = 5_000;
/** An abort after this time without an answer is held against the target; before it, somebody just left. */
const PATIENCE_MS = { provider: 30_000, embedding: 30_000, kb: 5_000, moodle: 5_000, web: 5_000 } as const;

/** Makes the resilience of one process. It forgets the targets that were called least lately. */
export function createResilience({
  metrics,
  onOpened = () => undefined,
  now = () => performance.now(),
  sleep = (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
}: ResilienceOptions): Resilience {
  const policies = new Map<string, Policy>();
  const figures = registerResilienceMetrics(metrics.registry, () =>
    [...policies.values()].map(({ target, breaker }) => ({ ...labelsOf(target), state: breaker.state })),
  );

  const policyFor = (target: Target): Policy => {
    const key = JSON.stringify([target.kind, target.connector, target.organizationId, originOf(target.url)]);
    const policy = policies.get(key) ?? createPolicy(target);
    policies.delete(key);
    policies.set(key, policy);
    if (policies.size > MAX_TARGETS) {
      const [oldest = key] = policies.keys();
      policies.delete(oldest);
    }
    return policy;
  };

  const createPolicy = (target: Target): Policy => ({
    target,
    breaker: createBreaker({
      now,
      onOpened() {
        figures.openings.inc(labelsOf(target));
        onOpened(target);
      },
    }),
    budget: createRetryBudget(now),
  });

  const attemptOnce = async <Result>(
    { breaker, budget }: Policy,
    { target, signal, attempt, judge }: GuardedCall<Result>,
    isFirst: boolean,
  ) =>
    await breaker.attempt(async (isProbe) => {
      if (isFirst) budget.countCall();
      const started = now();
      const outcome = await settle(attempt);
      if ('error' in outcome && signal.aborted) {
        if (!isProbe && now() - started < PATIENCE_MS[target.kind]) throw outcome.error;
        return { outcome, verdict: { isTargetWell: false } };
      }
      return { outcome, verdict: judge(outcome) };
    });

  const planRetry = ({ breaker, budget }: Policy, { retry }: Verdict, retries: number, jitterMs: number) => {
    if (!retry || retries >= MAX_RETRIES || retry.afterMs > LONGEST_ASKED_WAIT_MS) return undefined;
    if (breaker.state !== 'closed' || !budget.spendRetry()) return undefined;
    return retry.afterMs + jitterMs;
  };

  const run = async <Result>(call: GuardedCall<Result>): Promise<Result> => {
    const { target, signal } = call;
    signal.throwIfAborted();
    const policy = policyFor(target);
    let backoff: IBackoff<unknown> = BACKOFF.next();
    let heard: Outcome<Result> | undefined;
    for (let retries = 0; ; retries += 1, backoff = backoff.next(undefined)) {
      try {
        const { outcome, verdict } = await attemptOnce(policy, call, retries === 0);
        heard = outcome;
        const waitMs = planRetry(policy, verdict, retries, backoff.duration);
        if (waitMs === undefined) break;
        await sleepUnlessAborted(sleep, waitMs, signal);
        figures.retries.inc(labelsOf(target));
      } catch (error) {
        if (!(error instanceof TargetPaused)) throw error;
        // Others found out meanwhile that the target is down; what this call heard itself says more.
        if (heard) break;
        figures.refusals.inc(labelsOf(target));
        throw error;
      }
    }
    return unwrap(heard);
  };
  return { run };
}

async function settle<Result>(attempt: () => Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { value: await attempt() };
  } catch (error) {
    return { error };
  }
}

function unwrap<Result>(outcome: Outcome<Result>): Result {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

async function sleepUnlessAborted(
  sleep: NonNullable<ResilienceOptions['sleep']>,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    await sleep(milliseconds, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function labelsOf({ kind, connector }: Target) {
  return { kind, connector };
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? url;
}
