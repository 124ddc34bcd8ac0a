import { z } from 'zod';

interface CatalogueEntry {
  readonly status: number;
  /** Said to the caller when the code carries no more specific message. */
  readonly message: string;
  readonly fault: 'caller' | 'operator' | 'provider' | 'system';
  readonly next: string;
}

/** Every error that leaves the system: its HTTP status, what it says, whose fault it is and what to do next. */
export const errorCatalogue = {
  invalid_request: {
    status: 400,
    message: 'The request is not valid.',
    fault: 'caller',
    next: 'Correct it and send it again; where single fields are wrong, `details` names them.',
  },
  unauthenticated: {
    status: 401,
    message: 'No valid credential was given.',
    fault: 'caller',
    next: 'Sign in, or send an API key as `Authorization: Bearer <key>`.',
  },
  forbidden: {
    status: 403,
    message: 'This credential may not do that.',
    fault: 'caller',
    next: 'Ask the owner of the resource or an administrator of your organisation.',
  },
  account_disabled: {
    status: 403,
    message: 'This account is disabled.',
    fault: 'caller',
    next: 'Ask an administrator of your organisation to enable it.',
  },
  no_organization: {
    status: 403,
    message: 'You do not belong to an organisation, or no longer to this one.',
    fault: 'caller',
    next: 'Choose another of your organisations, or ask an administrator for an invitation.',
  },
  organization_suspended: {
    status: 403,
    message: 'This organisation is suspended.',
    fault: 'operator',
    next: 'Ask the operator of this installation.',
  },
  not_found: {
    status: 404,
    message: 'There is no such resource.',
    fault: 'caller',
    next: 'Check the address; a list of the same resource shows what you can reach.',
  },
  model_not_found: {
    status: 404,
    message: 'There is no such model.',
    fault: 'caller',
    next: '`GET /v1/models` lists the models this credential can use.',
  },
  name_taken: {
    status: 409,
    message: 'You already have one with this name.',
    fault: 'caller',
    next: 'Choose another name.',
  },
  last_owner: {
    status: 409,
    message: 'The organisation would have no owner left.',
    fault: 'caller',
    next: 'Make somebody else an owner first.',
  },
  owns_resources: {
    status: 409,
    message: 'This person owns assistants, collections, rubrics or files here.',
    fault: 'caller',
    next: 'Say in `transfer_to` who shall have them, or `discard=true` to delete the assistants; `details` counts them.',
  },
  stale_update: {
    status: 409,
    message: 'It was changed by someone else meanwhile.',
    fault: 'caller',
    next: 'Load it again and repeat your change.',
  },
  conversion_outdated: {
    status: 409,
    message: 'The assistant was changed after it was converted; undoing the conversion would lose that.',
    fault: 'caller',
    next: 'Keep it as it is, or send `discard_changes: true` to have it exactly as it was before the conversion.',
  },
  answer_under_way: {
    status: 409,
    message: 'An answer is under way in this chat.',
    fault: 'caller',
    next: 'Wait until it is complete, or stop it first.',
  },
  already_decided: {
    status: 409,
    message: 'About this call it was already decided otherwise.',
    fault: 'caller',
    next: 'The first decision counts; `details.decision` says which it was.',
  },
  payload_too_large: {
    status: 413,
    message: 'The request body is too large.',
    fault: 'caller',
    next: 'Send a smaller one; `details.limit` says how large it may be.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'This content type is not accepted here.',
    fault: 'caller',
    next: 'Send application/json, or multipart/form-data for uploads.',
  },
  assistant_invalid: {
    status: 422,
    message: 'The assistant cannot be saved like this.',
    fault: 'caller',
    next: 'Correct the problems in `details.problems`.',
  },
  provider_not_configured: {
    status: 422,
    message: 'The organisation has no provider set up for this assistant.',
    fault: 'operator',
    next: 'An administrator of the organisation adds a provider under /lamb/v1/organizations/current/config.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests.',
    fault: 'caller',
    next: 'Wait for the time given in `Retry-After`.',
  },
  budget_exceeded: {
    status: 429,
    message: 'The budget for this month is used up.',
    fault: 'caller',
    next: 'Wait until the time in `details.until`, or ask an administrator of your organisation to raise the cap in `details.cap`.',
  },
  client_closed_request: {
    status: 499,
    message: 'The client went away before the answer was complete.',
    fault: 'caller',
    next: 'Nothing to do; the request was stopped.',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side.',
    fault: 'system',
    next: 'Try again; if it stays, give the operator the request id.',
  },
  answer_restarted: {
    status: 500,
    message: 'The answer was begun anew elsewhere and differs from what was sent.',
    fault: 'system',
    next: 'It goes on without this stream: read it whole at `details.answer_url`.',
  },
  provider_rejected: {
    status: 502,
    message: 'The model provider rejected the request.',
    fault: 'provider',
    next: 'Check the model name and the parameters; `details` carries what the provider said.',
  },
  provider_credentials_rejected: {
    status: 502,
    message: 'The model provider did not accept the organisation’s key.',
    fault: 'operator',
    next: 'An administrator of the organisation checks the provider’s key.',
  },
  provider_rate_limited: {
    status: 429,
    message: 'The model provider is limiting requests.',
    fault: 'provider',
    next: 'Wait a little and try again.',
  },
  provider_unavailable: {
    status: 502,
    message: 'The model provider cannot be reached.',
    fault: 'provider',
    next: 'Try again; if it stays, an administrator checks the provider’s address.',
  },
  provider_stream_broken: {
    status: 502,
    message: 'The model provider ended its answer in the middle.',
    fault: 'provider',
    next: 'What arrived is kept; ask again for a complete answer.',
  },
  service_unavailable: {
    status: 503,
    message: 'The service is not ready.',
    fault: 'system',
    next: 'Try again in a few seconds.',
  },
  deadline_exceeded: {
    status: 504,
    message: 'The answer took longer than this assistant allows.',
    fault: 'provider',
    next: 'Ask again, or let the assistant’s creator raise `limits.deadline_ms`.',
  },
} as const satisfies Record<string, CatalogueEntry>;

/** The codes of the error catalogue. */
export type ErrorCode = keyof typeof errorCatalogue;

/** The codes of the error catalogue, as a schema. */
export const ErrorCode = z.enum(Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]]);
