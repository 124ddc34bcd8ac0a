import { z } from 'zod';
import { EmbeddingFailure } from './embedding-failure.ts';
import { normalizeVector } from './normalize-vector.ts';

/** How a provider of vectors is spoken to. */
export interface EmbeddingProvider {
  readonly wire: 'openai' | 'ollama';
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
}

interface OutgoingRequest {
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

/** Sends a request and reads its whole reply. An `EmbeddingFailure` that it throws is passed on as it is. */
export type EmbeddingFetch = (url: string, request: OutgoingRequest) => Promise<Response>;

export interface EmbeddingRequest {
  readonly provider: EmbeddingProvider;
  readonly model: string;
  readonly texts: readonly string[];
  /** How long the vectors must be; undefined: as long as the model makes them. */
  readonly dimensions: number | undefined;
  /** Whether the provider is asked for that length; there are models that refuse to be asked. */
  readonly asksForDimensions: boolean;
  /** A provider that knows it embeds and counts the same request once. */
  readonly idempotencyKey?: string | undefined;
  readonly fetch: EmbeddingFetch;
  readonly signal: AbortSignal;
}

export interface Embeddings {
  /** In the order of the texts, of length 1. */
  readonly vectors: Float32Array[];
  /** As the provider counted them; undefined: it did not say. */
  readonly tokens: number | undefined;
}

const OpenAiReply = z.object({
  data: z.array(z.object({ index: z.number().int().optional(), embedding: z.array(z.number()) })),
  usage: z.object({ prompt_tokens: z.number().optional(), total_tokens: z.number().optional() }).optional(),
});
const OllamaReply = z.object({ embeddings: z.array(z.array(z.number())), prompt_eval_count: z.number().optional() });

/** A number as text, its comma and the space that some write. */
const BYTES_PER_NUMBER = 32;
const MOST_DIMENSIONS = 4000;

/** Asks a provider for the vectors of some texts, in one request. */
export async function requestEmbeddings(request: EmbeddingRequest): Promise<Embeddings> {
  const { texts, dimensions, signal } = request;
  const reply = await send(request);
  if (!reply.ok) throw await describeRefusal(reply, request);
  const { lists, tokens } = read(await readJson(reply, signal), request);
  if (lists.length !== texts.length) {
    throw new EmbeddingFailure(
      'malformed',
      `The embedding provider gave ${String(lists.length)} vectors for ${String(texts.length)} texts. Try again; if it stays, an administrator checks that its address is that of an embedding service.`,
    );
  }
  const vectors = lists.map((list) => {
    if (dimensions !== undefined && list.length !== dimensions) throw misfit(request.model, list.length, dimensions);
    const vector = normalizeVector(list);
    if (!vector) {
      throw new EmbeddingFailure(
        'malformed',
        'The embedding provider gave a vector without a direction. Try again; if it stays, reindex the collection with another model.',
      );
    }
    return vector;
  });
  return { vectors, tokens };
}

async function send({
  provider: { wire, baseUrl, apiKey },
  model,
  texts,
  dimensions,
  asksForDimensions,
  idempotencyKey,
  fetch,
  signal,
}: EmbeddingRequest): Promise<Response> {
  const base = baseUrl.replace(/\/+$/, '');
  try {
    return await fetch(wire === 'ollama' ? `${base}/api/embed` : `${base}/embeddings`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify({
        model,
        input: texts,
        ...(wire === 'openai' ? { encoding_format: 'float' } : {}),
        ...(dimensions === undefined || !asksForDimensions ? {} : { dimensions }),
      }),
      signal,
      maxBytes: 100_000 + texts.length * (dimensions ?? MOST_DIMENSIONS) * 2 * BYTES_PER_NUMBER,
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof EmbeddingFailure) throw cause;
    throw new EmbeddingFailure(
      'unavailable',
      'The embedding provider cannot be reached. Try again later; if it stays, an administrator checks its address.',
      { cause },
    );
  }
}

async function readJson(reply: Response, signal: AbortSignal): Promise<unknown> {
  try {
    return await reply.json();
  } catch (cause) {
    signal.throwIfAborted();
    throw new EmbeddingFailure(
      'malformed',
      'The embedding provider gave an answer that is no JSON. Try again; if it stays, an administrator checks its address.',
      { cause },
    );
  }
}

function read(body: unknown, { provider }: EmbeddingRequest): { lists: number[][]; tokens: number | undefined } {
  if (provider.wire === 'ollama') {
    const parsed = OllamaReply.safeParse(body);
    if (!parsed.success) throw malformed(parsed.error);
    return { lists: parsed.data.embeddings, tokens: parsed.data.prompt_eval_count };
  }
  const parsed = OpenAiReply.safeParse(body);
  if (!parsed.success) throw malformed(parsed.error);
  const { data, usage } = parsed.data;
  // Their order is promised nowhere; their numbers are.
  const sorted = data.map((item, place) => ({ place: item.index ?? place, embedding: item.embedding }));
  sorted.sort((a, b) => a.place - b.place);
  if (sorted.some(({ place }, index) => place !== index)) throw malformed(undefined);
  return { lists: sorted.map(({ embedding }) => embedding), tokens: usage?.prompt_tokens ?? usage?.total_tokens };
}

function malformed(cause: unknown): EmbeddingFailure {
  return new EmbeddingFailure(
    'malformed',
    'The embedding provider gave an answer that cannot be read. An administrator checks that its address is that of an embedding service.',
    { cause },
  );
}

function misfit(model: string, got: number, wanted: number): EmbeddingFailure {
  return new EmbeddingFailure(
    'dimensions',
    `The model “${model}” gives vectors of ${String(got)} numbers, and the collection was made for ${String(wanted)}. ` +
      'Reindex the collection with this model, or ask an administrator to bring the former model back.',
  );
}

async function describeRefusal(reply: Response, { model }: EmbeddingRequest): Promise<EmbeddingFailure> {
  const { status } = reply;
  const retryAfterMs = readRetryAfter(reply.headers);
  if (status === 429) {
    return new EmbeddingFailure(
      'limited',
      'The embedding provider is limiting requests. Try again later, or an administrator asks the provider for more.',
      { retryAfterMs },
    );
  }
  if (status === 401 || status === 403) {
    return new EmbeddingFailure(
      'credentials',
      'The embedding provider did not accept the organisation’s key. An administrator enters a valid one; then try again.',
    );
  }
  if (status >= 500) {
    const message = `The embedding provider answered with an error (status ${String(status)}). Try again later; if it stays, tell an administrator.`;
    return new EmbeddingFailure('unavailable', message, { retryAfterMs });
  }
  if (status === 404) {
    return new EmbeddingFailure(
      'rejected',
      `The embedding provider does not know the model “${model}”, or its address is not that of an embedding service. An administrator checks both, or the collection is reindexed with another model.`,
    );
  }
  const said = findMessage(await reply.json().catch(() => undefined));
  return new EmbeddingFailure(
    'rejected',
    `The embedding provider rejected the request (status ${String(status)})${said === '' ? '.' : `: ${said.replace(/[.\s]*$/, '.')}`} An administrator checks the model, or the collection is reindexed with another one.`,
  );
}

const Refusal = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

function findMessage(body: unknown): string {
  const parsed = Refusal.safeParse(body);
  if (!parsed.success) return '';
  const { error } = parsed.data;
  return (typeof error === 'string' ? error : error.message).slice(0, 200);
}

/** Milliseconds; the header holds seconds or a date. */
function readRetryAfter(headers: Headers): number {
  const value = headers.get('retry-after') ?? '';
  if (value === '') return 0;
  const milliseconds = Number.isNaN(Number(value)) ? Date.parse(value) - Date.now() : Number(value) * 1000;
  return Math.max(0, milliseconds) || 0;
}
