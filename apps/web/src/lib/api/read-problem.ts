import { ApiError } from './api-error.ts';

/** Reads problem+json, OpenAI's shape and better-auth's; anything else becomes an error with its status alone. */
export async function readProblem(response: Response): Promise<ApiError> {
  return toProblem(response.status, await response.text().catch(() => ''));
}

/** The same for a body that was read already. */
export function toProblem(status: number, text: string): ApiError {
  const body = parseObject(text);
  const inner = isObject(body['error']) ? body['error'] : body;
  const title = textOf(inner['title']) ?? textOf(inner['message']) ?? '';
  return new ApiError({
    status,
    code: textOf(inner['code']) ?? 'unknown',
    title,
    requestId: textOf(inner['request_id']),
    ...(isObject(inner['details']) ? { details: inner['details'] } : {}),
  });
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
