import { AppError, type ErrorCode } from '@lamb/contract';

/** A provider's answer that is no answer. */
export interface RefusedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly apiKey: string | undefined;
}

const longestMessage = 300;

/** What a refusal by the provider means for the caller. */
export function toProviderError({ status, headers, body, apiKey }: RefusedResponse): AppError {
  const code = codeOf(status);
  // What a provider says about a wrong key often quotes part of it.
  if (code === 'provider_credentials_rejected') return new AppError(code, { details: { provider_status: status } });
  const said = shortenMessage(findMessage(body), apiKey);
  const retryAfter = code === 'provider_rate_limited' ? readRetryAfter(headers) : undefined;
  return new AppError(code, {
    ...(code === 'provider_rejected' && said !== ''
      ? { message: `The model provider rejected the request: ${said}` }
      : {}),
    details: {
      provider_status: status,
      ...(said === '' ? {} : { provider_message: said }),
      ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
    },
  });
}

function codeOf(status: number): ErrorCode {
  if (status === 401 || status === 403) return 'provider_credentials_rejected';
  if (status === 429) return 'provider_rate_limited';
  // 408: the provider gave up waiting. Below 400: a redirect, which is an address to correct and not to follow with a key.
  if (status < 400 || status === 408 || status >= 500) return 'provider_unavailable';
  return 'provider_rejected';
}

/** Providers say what is wrong as `{error: {message}}`, `{error}`, `{message}` or `{detail}`, proxies as text or a page. */
function findMessage(body: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return body.trimStart().startsWith('<') ? '' : body;
  }
  // Gemini's compatible endpoint wraps the object in a list.
  const [root] = Array.isArray(parsed) ? (parsed as unknown[]) : [parsed];
  const error = readField(root, 'error');
  const candidates = [readField(error, 'message'), error, readField(root, 'message'), readField(root, 'detail'), root];
  return candidates.find((candidate) => typeof candidate === 'string') ?? '';
}

function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** One line that fits in a message, without the key. */
export function shortenMessage(message: string, apiKey: string | undefined): string {
  const withoutKey = apiKey === undefined || apiKey === '' ? message : message.replaceAll(apiKey, '[key]');
  const line = withoutKey.replaceAll(/\s+/gu, ' ').trim();
  return line.length > longestMessage ? `${line.slice(0, longestMessage - 1)}…` : line;
}

/** Seconds; the header holds seconds or a date. */
function readRetryAfter(headers: RefusedResponse['headers']): number | undefined {
  const header = headers['retry-after'];
  const value = Array.isArray(header) ? header[0] : header;
  if (value === undefined || value === '') return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? (Date.parse(value) - Date.now()) / 1000 : seconds;
  return Number.isFinite(wait) && wait >= 0 ? Math.ceil(wait) : undefined;
}
