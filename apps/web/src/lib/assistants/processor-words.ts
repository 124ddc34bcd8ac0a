import { m } from '#lib/paraglide/messages.js';

type Words = readonly [label: () => string, hint: () => string];

const several: Words = [m.assistants_processor_multi, m.assistants_processor_multi_hint];

/** Our own processors speak the person's language; others say what their authors wrote. */
const words: Readonly<Record<string, Words>> = {
  simple_augment: [
    m.assistants_processor_simple,
    () => m.assistants_processor_simple_hint({ message: '{user_input}', context: '{context}' }),
  ],
  multi_augment: several,
  tool_augment: several,
  moodle_augment: [
    m.assistants_processor_moodle,
    () => m.assistants_processor_moodle_hint({ placeholder: '{moodle_user}' }),
  ],
  context_aware_augment: [m.assistants_processor_context, m.assistants_processor_context_hint],
};

/** What a prompt processor is called and does. */
export function wordProcessor({ name, title, description }: { name: string; title: string; description: string }): {
  label: string;
  hint: string;
} {
  const known = Object.hasOwn(words, name) ? words[name] : undefined;
  return { label: known?.[0]() ?? title, hint: known?.[1]() ?? description };
}
