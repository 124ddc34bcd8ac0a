import { AppError } from '@lamb/contract';
import { EmbeddingFailure, type EmbeddingProvider } from '@lamb/knowledge';
import { readTenant, withTenant, type CollectionEmbedding, type TenantTx } from '@lamb/store';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { loadOrganizationSetup } from '../organization/load-organization-setup.ts';
import type { OrganizationSetup } from '../organization/read-organization-setup.ts';
import type { Services } from '../services.ts';
import { createEmbeddingCache, type EmbeddedText } from './create-embedding-cache.ts';
import { createEmbeddingSender, type EmbeddingModel } from './create-embedding-sender.ts';
import { createGate } from './create-gate.ts';
import { findEmbeddingProvider } from './find-embedding-provider.ts';
import { reserveEmbedding, type EmbeddingReservation } from './reserve-embedding.ts';
import { toEmbeddingError } from './to-embedding-error.ts';

/** On whom it is booked. */
interface Payer {
  readonly organizationId: string;
  readonly userId: string;
}

/** Passages of one request to a provider. */
export interface PassageBatch extends Payer {
  readonly embedding: CollectionEmbedding;
  /** What the passages are made for; with `key` it names the request, also when it is repeated after a crash. */
  readonly runId: string;
  readonly key: string;
  readonly texts: readonly string[];
  /** As we count them: what is set aside, and booked where the provider does not say. */
  readonly tokens: number;
}

/** How long somebody waits. */
export interface Patience {
  readonly signal: AbortSignal;
  /** Aborted when nothing more should be begun. */
  readonly leaving: AbortSignal;
}

export interface EmbeddedBatch {
  readonly vectors: Float32Array[];
  /** Books what was used, in the transaction that keeps the vectors. */
  book(tx: TenantTx): Promise<void>;
}

/** A query to be compared with the passages of a collection. */
export interface QueryText extends Payer {
  readonly embedding: CollectionEmbedding;
  readonly text: string;
  /** With its secrets: whoever searches has looked it up together with what is searched. */
  readonly setup: OrganizationSetup;
}

/** Makes vectors with the organisations' own providers. */
export interface Embedder {
  /** For work in the background: waits for a provider that is busy or down. Throws `EmbeddingFailure`, or `budget_exceeded`. */
  embedPassages(batch: PassageBatch, patience: Patience): Promise<EmbeddedBatch>;
  /** For somebody who waits; the same query is sent once in a while only. Throws errors of the API. */
  embedQuery(query: QueryText, signal: AbortSignal): Promise<EmbeddedText>;
  /** How long the vectors of a model are, by asking it. Throws errors of the API. */
  measureDimensions(
    model: Payer & Pick<CollectionEmbedding, 'provider' | 'model'>,
    signal: AbortSignal,
  ): Promise<number>;
}

type EmbedderServices = Pick<
  Services,
  'db' | 'secretBox' | 'outboundFetch' | 'resilience' | 'budgets' | 'metrics' | 'log' | 'config'
>;

const PASSAGES = { atOnce: 2, timeoutMs: 60_000 };
const QUERIES = { atOnce: 16, timeoutMs: 10_000 };
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
const MOST_DIMENSIONS = 4000;
const CHARS_PER_TOKEN = 4;

/** Makes the embedder of one process. */
export function createEmbedder(services: EmbedderServices): Embedder {
  const { db, secretBox, metrics, log, config } = services;
  const send = createEmbeddingSender(services);
  const gates = { passages: createGate(PASSAGES.atOnce), queries: createGate(QUERIES.atOnce) };
  const cache = createEmbeddingCache();

  const count = ({ provider }: EmbeddingModel, tokens: number): void => {
    metrics.tokens.inc({ connector: provider === 'ollama' ? 'ollama' : 'openai', direction: 'embedding' }, tokens);
  };
  /** Nobody who searches waits for the ledger: their own statement is sent first. */
  const bookLater = (
    reservation: EmbeddingReservation,
    { organizationId }: Payer,
    tokens: number,
    isEstimated: boolean,
  ): void => {
    setImmediate(() => {
      withTenant(db, organizationId, (tx) => reservation.book(tx, tokens, isEstimated)).catch((error: unknown) => {
        log.error({ err: error, organizationId, tokens }, 'usage of an embedding could not be recorded');
      });
    });
  };
  const loadProvider = async (organizationId: string, name: string): Promise<EmbeddingProvider> =>
    findEmbeddingProvider(await readTenant(db, organizationId, (tx) => loadOrganizationSetup(tx, secretBox)), name);
  const embedOne = async (
    payer: Payer,
    embedding: EmbeddingModel,
    findProvider: () => EmbeddingProvider | Promise<EmbeddingProvider>,
    text: string,
    signal: AbortSignal,
  ): Promise<EmbeddedText> => {
    const { organizationId, userId } = payer;
    const { provider, model } = embedding;
    const estimate = Math.ceil(text.length / CHARS_PER_TOKEN);
    const purpose = { organizationId, userId, runId: randomUUID(), step: 'query', provider, model };
    const reservation = await reserveEmbedding(purpose, estimate, services);
    try {
      const leave = await gates.queries.enter(organizationId, signal);
      try {
        const { timeoutMs } = QUERIES;
        const order = { organizationId, provider: await findProvider(), embedding, texts: [text], timeoutMs };
        const made = await send(order, signal);
        const tokens = made.tokens ?? estimate;
        count(embedding, tokens);
        bookLater(reservation, payer, tokens, made.tokens === undefined);
        const [vector] = made.vectors;
        if (!vector) throw new Error('A request for one vector resolved to none.');
        return { vector, providerMs: made.providerMs };
      } finally {
        leave();
      }
    } catch (error) {
      await reservation.release();
      throw error instanceof EmbeddingFailure ? toEmbeddingError(error) : error;
    }
  };

  return {
    async embedPassages({ organizationId, userId, embedding, runId, key, texts, tokens: estimate }, patience) {
      const { provider, model } = embedding;
      const purpose = { organizationId, userId, runId, step: `embed:${key}`, provider, model };
      const reservation = await reserveEmbedding(purpose, estimate, services);
      const attempt = async () => {
        const leave = await gates.passages.enter(organizationId, AbortSignal.any([patience.signal, patience.leaving]));
        try {
          const { timeoutMs } = PASSAGES;
          // Anew for every attempt: somebody may have mended it.
          const found = await loadProvider(organizationId, provider);
          return await send({ organizationId, provider: found, embedding, texts, key, timeoutMs }, patience.signal);
        } finally {
          leave();
        }
      };
      try {
        const made = await persist(attempt, config.embeddingPatienceMs, patience);
        const tokens = made.tokens ?? estimate;
        count(embedding, tokens);
        return { vectors: made.vectors, book: (tx) => reservation.book(tx, tokens, made.tokens === undefined) };
      } catch (error) {
        await reservation.release();
        throw error;
      }
    },
    embedQuery({ organizationId, userId, embedding, text, setup }, signal) {
      // Others may wait for the same vector: it is not given up when the first of them leaves.
      const made = cache.find({ organizationId, ...embedding, text }, () => {
        const findProvider = () => findEmbeddingProvider(setup, embedding.provider);
        const patience = AbortSignal.timeout(2 * QUERIES.timeoutMs);
        return embedOne({ organizationId, userId }, embedding, findProvider, text, patience);
      });
      return untilAborted(made, signal);
    },
    async measureDimensions({ organizationId, userId, provider, model }, signal) {
      const embedding = { provider, model, dimensions: undefined };
      const findProvider = () => loadProvider(organizationId, provider);
      const question = 'How long is a vector?';
      const { vector } = await embedOne({ organizationId, userId }, embedding, findProvider, question, signal);
      const { length } = vector;
      if (length <= MOST_DIMENSIONS) return length;
      throw new AppError('provider_rejected', {
        message: `The model “${model}” gives vectors of ${String(length)} numbers, and at most ${String(MOST_DIMENSIONS)} can be searched. Choose another one, or ask it for fewer with \`dimensions\`.`,
      });
    },
  };
}

/** Repeats what fails in a way that passes, ever more seldom, until patience ends. */
async function persist<Result>(
  attempt: () => Promise<Result>,
  patienceMs: number,
  { signal, leaving }: Patience,
): Promise<Result> {
  const giveUpAt = performance.now() + patienceMs;
  const either = AbortSignal.any([signal, leaving]);
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    either.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof EmbeddingFailure) || !error.isPassing) throw error;
      const waitMs = Math.max(error.retryAfterMs, pause * (0.5 + Math.random() / 2));
      if (performance.now() + waitMs > giveUpAt) throw error;
      await wait(waitMs, undefined, { signal: either }).catch(() => undefined);
    }
  }
}

async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => {
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
