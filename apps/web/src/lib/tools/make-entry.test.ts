import { expect, test } from 'vitest';
import { definitions, entry } from './__fixtures__/definitions.ts';
import { changeMode, makeEntry } from './make-entry.ts';
import { findDefinition, placeTools, takenNames } from './place-tools.ts';

function definitionOf(type: string) {
  const definition = findDefinition(definitions, type);
  if (!definition) throw new Error(`no ${type}`);
  return definition;
}

test('a new knowledge base numbers its passages', () => {
  expect(makeEntry(definitionOf('simple_rag'), new Set())).toEqual({
    type: 'simple_rag',
    mode: 'context',
    enabled: true,
    placeholder: 'context',
    config: { collections: [], citations: true },
  });
});

test('a tool that cannot gather context is called by the model', () => {
  expect(makeEntry(definitionOf('weather'), new Set())).toEqual({
    type: 'weather',
    mode: 'function',
    enabled: true,
    config: {},
  });
});

test('the second use gets another name, and does not take that of an entry without one', () => {
  const tools = [entry('knowledge_base')];
  const second = makeEntry(definitionOf('simple_rag'), takenNames(tools, definitions));
  expect(second.placeholder).toBe('context_2');
  expect(placeTools([...tools, second], definitions).map(({ placeholder }) => placeholder)).toEqual([
    'context',
    'context_2',
  ]);
  const third = makeEntry(
    definitionOf('simple_rag'),
    takenNames([...tools, { ...second, enabled: false }], definitions),
  );
  expect(third.placeholder).toBe('context_3');
});

test('a change of mode takes the placeholder away and gives one back; the rest stays', () => {
  const given = entry('simple_rag', { placeholder: 'notes', timeout_ms: 300, extra: 'kept' });
  const definition = definitionOf('simple_rag');
  const called = changeMode(given, 'function', definition, new Set(['context']));
  expect(called).toEqual({ ...entry('simple_rag'), mode: 'function', timeout_ms: 300, extra: 'kept' });
  expect(changeMode(called, 'context', definition, new Set(['context'])).placeholder).toBe('context_2');
});

test('a tool without a name gets one that no other entry asks for', () => {
  const tools = [entry('simple_rag'), entry('rubric', { placeholder: 'context' })];
  expect(placeTools(tools, definitions).map(({ placeholder }) => placeholder)).toEqual(['context_2', 'context']);
});
