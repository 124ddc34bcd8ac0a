import type { ErrorCode } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';

interface ErrorWords {
  readonly what: () => string;
  readonly next: () => string;
}

/** What each code of the server means, in the person's language, and what to try. */
export const errorWords: Readonly<Record<ErrorCode, ErrorWords>> = {
  invalid_request: { what: m.errors_invalid_request, next: m.ui_error_refused_next },
  unauthenticated: { what: m.errors_unauthenticated, next: m.errors_next_sign_in },
  forbidden: { what: m.ui_error_forbidden, next: m.ui_error_forbidden_next },
  account_disabled: { what: m.errors_account_disabled, next: m.errors_next_admin },
  no_organization: { what: m.errors_no_organization, next: m.errors_next_admin },
  organization_suspended: { what: m.errors_organization_suspended, next: m.errors_next_operator },
  not_found: { what: m.ui_error_not_found, next: m.ui_error_not_found_next },
  model_not_found: { what: m.errors_model_not_found, next: m.errors_next_settings },
  name_taken: { what: m.errors_name_taken, next: m.errors_next_name },
  last_owner: { what: m.errors_last_owner, next: m.errors_next_owner },
  owns_resources: { what: m.errors_owns_resources, next: m.errors_next_hand_over },
  stale_update: { what: m.errors_stale_update, next: m.errors_next_reload },
  conversion_outdated: { what: m.errors_conversion_outdated, next: m.errors_next_keep },
  answer_under_way: { what: m.errors_answer_under_way, next: m.errors_next_stop },
  already_decided: { what: m.errors_already_decided, next: m.errors_next_decided },
  payload_too_large: { what: m.errors_payload_too_large, next: m.errors_next_smaller },
  unsupported_media_type: { what: m.errors_unsupported_media_type, next: m.errors_next_format },
  assistant_invalid: { what: m.errors_assistant_invalid, next: m.errors_next_marked },
  provider_not_configured: { what: m.errors_provider_not_configured, next: m.errors_next_admin },
  rate_limited: { what: m.ui_error_rate_limited, next: m.ui_error_rate_limited_next },
  budget_exceeded: { what: m.errors_budget_exceeded, next: m.errors_next_budget },
  client_closed_request: { what: m.errors_client_closed_request, next: m.errors_next_again },
  internal_error: { what: m.ui_error_internal, next: m.ui_error_internal_next },
  answer_restarted: { what: m.errors_answer_restarted, next: m.errors_next_whole },
  provider_rejected: { what: m.errors_provider_rejected, next: m.errors_next_settings },
  provider_credentials_rejected: { what: m.errors_provider_credentials_rejected, next: m.errors_next_admin },
  provider_rate_limited: { what: m.errors_provider_rate_limited, next: m.errors_next_wait },
  provider_unavailable: { what: m.errors_provider_unavailable, next: m.errors_next_again },
  provider_stream_broken: { what: m.errors_provider_stream_broken, next: m.errors_next_again },
  service_unavailable: { what: m.errors_service_unavailable, next: m.errors_next_wait },
  deadline_exceeded: { what: m.errors_deadline_exceeded, next: m.errors_next_less },
};
