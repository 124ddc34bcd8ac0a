import { PlaceholderName, USER_INPUT } from '@lamb/contract';
import type { PromptProcessor } from '@lamb/plugin-kit';
import { expect, test } from 'vitest';
import { contextAwareAugment } from './context-aware-augment/context-aware-augment.ts';
import { moodleAugment } from './moodle-augment/moodle-augment.ts';
import { multiAugment } from './multi-augment/multi-augment.ts';
import { simpleAugment } from './simple-augment/simple-augment.ts';

const processors: readonly PromptProcessor[] = [simpleAugment, multiAugment, moodleAugment, contextAwareAugment];

test('the names that assistants are stored with', () => {
  expect(processors.flatMap(({ name, aliases = [] }) => [name, ...aliases])).toEqual([
    'simple_augment',
    'multi_augment',
    'tool_augment',
    'moodle_augment',
    'context_aware_augment',
  ]);
});

test.each(processors)('$name fills the placeholders it declares, and no others', (processor) => {
  const declared = processor.placeholders ?? [];
  for (const name of declared) expect(PlaceholderName.parse(name)).not.toBe(USER_INPUT);
  expect(Object.keys(processor.values?.({ endUser: { id: 'u1' } }) ?? {})).toEqual(declared);
  expect(processor.title).toMatch(/\S/);
  expect(processor.description).toMatch(/\S/);
});
