import type { ToolEntry } from '@lamb/contract';
import { expect, test } from 'vitest';
import { definitions, entry } from './__fixtures__/definitions.ts';
import { findProblems } from './find-problems.ts';

function find(
  tools: ToolEntry[],
  template?: string,
  more: { reserved?: string[]; kind?: 'classic' | 'multi_tool' } = {},
) {
  return findProblems({ tools, definitions, template, ...more }).map(
    ({ severity, path, code }) => `${severity} ${path} ${code}`,
  );
}

// What the engine says of the same assistants is in packages/engine/src/compile-plan.test.ts.
test('an assistant in order has no problems', () => {
  const tools = [entry('simple_rag'), entry('rubric'), entry('weather', { mode: 'function' })];
  expect(find(tools, '{context}{rubric}{user_input}')).toEqual([]);
});

test('what is switched off is left out, however broken it is', () => {
  const tools = [
    entry('nonsense', { enabled: false }),
    entry('simple_rag', { enabled: false, placeholder: 'user_input', config: {} }),
  ];
  expect(find(tools, '{user_input}')).toEqual([]);
});

test('a tool that does not exist, and one in a mode that it does not offer', () => {
  expect(find([entry('simple_rug'), entry('weather')], undefined)).toEqual([
    'error tools.0.type unknown_tool',
    'error tools.1.mode not_context',
  ]);
});

test('placeholders: grammar, duplicates, what others fill', () => {
  const named = (placeholder: string) => entry('simple_rag', { placeholder });
  for (const name of [
    '__proto__',
    'constructor',
    'Context',
    'con text',
    '2nd',
    '_x',
    '',
    'ñ',
    'a-b',
    'x\n',
    'x'.repeat(65),
  ]) {
    expect(find([named(name)])).toEqual(['error tools.0.placeholder name_grammar']);
  }
  expect(find([named('user_input')])).toEqual(['error tools.0.placeholder name_user_input']);
  expect(find([named('moodle_user')], undefined, { reserved: ['moodle_user'] })).toEqual([
    'error tools.0.placeholder name_reserved',
  ]);
  expect(find([named('shared'), entry('rubric', { placeholder: 'shared' })])).toEqual([
    'error tools.1.placeholder name_taken',
  ]);
});

test('the template: what nothing fills, what it does not use, a message that gets lost', () => {
  expect(find([entry('simple_rag')], '{rubric} {user_input}')).toEqual([
    'warning prompt_template unfilled',
    'warning tools.0.placeholder unused',
  ]);
  expect(
    find([entry('simple_rag', { config: { collections: ['1'], query: 'about {user_input}' } })], '{context}'),
  ).toEqual(['warning prompt_template no_user_input']);
  expect(find([], '{moodle_user}{user_input}', { reserved: ['moodle_user'] })).toEqual([]);
  expect(find([entry('simple_rag')], '{context} {anything} {user_input}', { kind: 'classic' })).toEqual([]);
  expect(find([entry('simple_rag')], '')).toEqual(['warning tools.0.placeholder unused']);
});

test('references between tools: to nobody, to itself, in a circle', () => {
  const asking = (placeholder: string, query: string) =>
    entry('simple_rag', { placeholder, config: { collections: ['1'], query } });
  expect(find([asking('context', '{glossary}')], '{context}{user_input}')).toEqual(['warning tools.0.config unfilled']);
  expect(find([asking('context', 'more of {context}')], '{context}{user_input}')).toEqual([
    'error tools.0.config self_reference',
  ]);
  expect(
    find(
      [asking('a', '{b}'), asking('b', '{a}'), asking('c', '{a}'), entry('simple_rag', { placeholder: 'd' })],
      '{a}{b}{c}{d}{user_input}',
    ),
  ).toEqual(['error tools.0.config cycle', 'error tools.1.config cycle']);
});

test('a tool that another one uses need not be in the template', () => {
  const tools = [entry('simple_rag', { config: { collections: ['1'], query: 'terms in {rubric}' } }), entry('rubric')];
  expect(find(tools, '{context}{user_input}')).toEqual([]);
});

test('the configuration, with the path of each mistake', () => {
  const config = { collections: [], top_k: 1.5, filter: {} };
  expect(find([entry('simple_rag', { config })])).toEqual([
    'error tools.0.config.collections config',
    'error tools.0.config.top_k config',
    'error tools.0.config.filter.page config',
  ]);
});
