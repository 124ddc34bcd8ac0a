import {
  EmbeddingFailure,
  requestEmbeddings,
  type EmbeddingFetch,
  type EmbeddingProvider,
  type Embeddings,
} from '@lamb/knowledge';
import { OutboundLimitError } from '../outbound/outbound-limit-error.ts';
import { OutboundRefusedError } from '../outbound/outbound-refused-error.ts';
import { createResilientFetch } from '../resilience/create-resilient-fetch.ts';
import { TargetPaused } from '../resilience/target-paused.ts';
import type { Services } from '../services.ts';

/** A model of one of the organisation's providers. */
export interface EmbeddingModel {
  readonly provider: string;
  readonly model: string;
  /** Undefined: as long as the model makes its vectors. */
  readonly dimensions: number | undefined;
}

/** One request to an organisation's provider. */
export interface EmbeddingOrder {
  readonly organizationId: string;
  readonly provider: EmbeddingProvider;
  readonly embedding: EmbeddingModel;
  readonly texts: readonly string[];
  /** Names the request; a provider that knows it counts it once. */
  readonly key?: string;
  readonly timeoutMs: number;
}

/** What a provider gave, and how long it was waited for: of all that takes time here, this alone is not ours. */
export interface SentEmbeddings extends Embeddings {
  readonly providerMs: number;
}

/** Sends a request for vectors, or throws `EmbeddingFailure`. */
export type EmbeddingSender = (order: EmbeddingOrder, signal: AbortSignal) => Promise<SentEmbeddings>;

const MAX_REMEMBERED = 1000;

/** Makes a way to the organisations' providers: guarded, with a breaker and retries within a budget. */
export function createEmbeddingSender({
  outboundFetch,
  resilience,
}: Pick<Services, 'outboundFetch' | 'resilience'>): EmbeddingSender {
  /** Models that refuse to be asked for a length. */
  const withoutLength = new Set<string>();

  const openFetch = (
    organizationId: string,
    { wire }: EmbeddingProvider,
    timeoutMs: number,
    onAnswer: (milliseconds: number) => void,
  ): EmbeddingFetch => {
    const target = { kind: 'embedding', connector: wire, organizationId } as const;
    const fetch = createResilientFetch(outboundFetch, resilience, target);
    return async (url, request) => {
      const startedAt = performance.now();
      try {
        const reply = await fetch(url, { ...request, timeoutMs });
        onAnswer(performance.now() - startedAt);
        return reply;
      } catch (error) {
        request.signal.throwIfAborted();
        throw describeFailure(error) ?? error;
      }
    };
  };

  return async ({ organizationId, provider, embedding, texts, key, timeoutMs }, signal) => {
    let providerMs = 0;
    const fetch = openFetch(organizationId, provider, timeoutMs, (milliseconds) => {
      providerMs += milliseconds;
    });
    const { model, dimensions } = embedding;
    const ask = (asksForDimensions: boolean) => {
      // Another request than the one with a length: a provider may insist that one key is one request.
      const idempotencyKey = key === undefined || asksForDimensions ? key : `${key}-plain`;
      return requestEmbeddings({
        provider,
        model,
        texts,
        dimensions,
        asksForDimensions,
        idempotencyKey,
        fetch,
        signal,
      });
    };
    const modelKey = `${organizationId} ${provider.baseUrl} ${model}`;
    const asksForDimensions = dimensions !== undefined && !withoutLength.has(modelKey);
    try {
      return { ...(await ask(asksForDimensions)), providerMs };
    } catch (error) {
      if (!asksForDimensions || !(error instanceof EmbeddingFailure && error.reason === 'rejected')) throw error;
      const embedded = await ask(false);
      if (withoutLength.size >= MAX_REMEMBERED) withoutLength.clear();
      withoutLength.add(modelKey);
      return { ...embedded, providerMs };
    }
  };
}

/** What this site knows of why a request failed; of anything else `requestEmbeddings` says that the provider cannot be reached. */
function describeFailure(cause: unknown): EmbeddingFailure | undefined {
  if (cause instanceof TargetPaused) {
    const seconds = cause.retryAfterSeconds;
    const message = `The embedding provider is paused for ${String(seconds)} seconds after repeated failures. Try again after that.`;
    return new EmbeddingFailure('paused', message, { retryAfterMs: seconds * 1000, cause });
  }
  if (cause instanceof OutboundRefusedError) {
    return new EmbeddingFailure(
      'not_configured',
      'The address of the embedding provider is not allowed; an administrator of the organisation or the operator can change that.',
      { cause },
    );
  }
  if (cause instanceof OutboundLimitError) {
    return cause.limit === 'time'
      ? new EmbeddingFailure(
          'unavailable',
          'The embedding provider did not answer in time. Try again later; if it stays, tell an administrator.',
          { cause },
        )
      : new EmbeddingFailure(
          'malformed',
          'The answer of the embedding provider is too large. An administrator checks that its address is that of an embedding service.',
          { cause },
        );
  }
  return undefined;
}
