import { AISDKError, APICallError } from '@ai-sdk/provider';
import { AppError } from '@lamb/contract';
import { shortenMessage, toProviderError } from '../wire/to-provider-error.ts';

interface Circumstances {
  /** Whether the provider had begun to answer. */
  readonly answering: boolean;
  readonly apiKey: string | undefined;
}

/** What an error of an AI SDK provider means for the caller. */
export function toAppError(error: unknown, { answering, apiKey }: Circumstances): AppError {
  if (error instanceof AppError) return error;
  if (answering) return new AppError('provider_stream_broken', { cause: error });
  if (APICallError.isInstance(error)) return fromApiCall(error, apiKey);
  if (AISDKError.isInstance(error)) return rejectPrompt(error, apiKey);
  return new AppError('provider_unavailable', { cause: error });
}

function fromApiCall(error: APICallError, apiKey: string | undefined): AppError {
  const { statusCode: status, responseHeaders: headers = {}, responseBody: body = error.message } = error;
  if (status === undefined) {
    const { cause } = error;
    // A dispatcher that refuses an address says so with an error of ours. The call error itself holds the whole prompt,
    // which has no place in a log.
    return cause instanceof AppError ? cause : new AppError('provider_unavailable', { cause });
  }
  if (status < 300) return new AppError('provider_stream_broken');
  return toProviderError({ status, headers, body, apiKey });
}

/** The provider package itself refuses, before anything is sent: a prompt or an option that this provider cannot take. */
function rejectPrompt(error: Error, apiKey: string | undefined): AppError {
  const said = shortenMessage(error.message, apiKey);
  return new AppError('provider_rejected', {
    message: `The model provider cannot take this request: ${said}`,
    details: { provider_message: said },
  });
}
