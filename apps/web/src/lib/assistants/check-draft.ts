import type { AssistantBody as BodySchema, Limits as LimitsSchema } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';
import type { Draft } from './draft.ts';

interface Schemas {
  readonly AssistantBody: typeof BodySchema;
  readonly Limits: typeof LimitsSchema;
}
type Field =
  'name' | 'description' | 'system_prompt' | 'prompt_template' | 'max_iterations' | 'max_calls' | 'deadline_ms';

/** What can be said of a field without asking the server. */
export type FieldErrors = Partial<Record<Field, string>>;

/** The time is entered in seconds. */
const limitErrors = {
  max_iterations: () => m.assistants_limit_range({ min: '1', max: '50' }),
  max_calls: () => m.assistants_limit_range({ min: '1', max: '500' }),
  deadline_ms: () => m.assistants_limit_range({ min: '1', max: '3600' }),
};

/**
 * Checks what is entered with the server's own schemas, field by field: a whole object would be checked by compiled
 * code, which the content policy forbids.
 */
export function checkDraft(draft: Draft, { AssistantBody, Limits }: Schemas): FieldErrors {
  const errors: FieldErrors = {};
  const { name, description, system_prompt, prompt_template } = draft;
  if (!AssistantBody.shape.name.safeParse(name).success) {
    errors.name = name.trim() === '' ? m.assistants_name_missing() : m.assistants_text_long();
  }
  for (const [field, value] of Object.entries({ description, system_prompt, prompt_template })) {
    const key = field as 'description' | 'system_prompt' | 'prompt_template';
    if (!AssistantBody.shape[key].safeParse(value).success) errors[key] = m.assistants_text_long();
  }
  for (const key of ['max_iterations', 'max_calls', 'deadline_ms'] as const) {
    if (!Limits.shape[key].safeParse(draft.metadata.limits?.[key]).success) errors[key] = limitErrors[key]();
  }
  return errors;
}
