import type { RecordedRequest } from './recorded-request.ts';
import type { WireError } from './wire-format.ts';

export function encodeOpenAiError(error: WireError) {
  const [type, code] = classify(error.status);
  return { error: { message: error.message, type: error.type ?? type, param: null, code: error.code ?? code } };
}

export function findBearer(request: RecordedRequest): string | undefined {
  return /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

function classify(status: number): [type: string, code: string | null] {
  if (status === 401) return ['invalid_request_error', 'invalid_api_key'];
  if (status === 404) return ['invalid_request_error', 'model_not_found'];
  if (status === 429) return ['requests', 'rate_limit_exceeded'];
  if (status >= 500) return ['server_error', null];
  return ['invalid_request_error', null];
}
