import { expect, test } from 'vitest';
import { checkConfig } from './check-config.ts';

const schema: object = {
  type: 'object',
  properties: {
    collections: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', pattern: '^[\\w-]{1,100}$' } },
    top_k: { type: 'integer', minimum: 1, maximum: 100 },
    assistant_id: { type: 'integer' },
    format: { type: 'string', enum: ['markdown', 'json'] },
    filter: { type: 'object', properties: { page: { type: 'number', minimum: 1 } }, required: ['page'] },
  },
  required: ['collections'],
};

test('what fits has no errors, with fields left empty and unknown ones kept', () => {
  expect(checkConfig(schema, { collections: ['12'], top_k: undefined, kept: { x: 1 } })).toEqual([]);
});

test('each rule is reported at its field, with what it asks for', () => {
  expect(checkConfig(schema, {})).toEqual([{ path: 'collections', rule: 'required', wanted: 'collections' }]);
  expect(
    checkConfig(schema, { collections: ['a', 'b c', 'd'], top_k: 101, format: 'xml', filter: { page: 0 } }),
  ).toEqual([
    { path: 'collections', rule: 'maxItems', wanted: 2 },
    { path: 'collections.1', rule: 'pattern', wanted: '^[\\w-]{1,100}$' },
    { path: 'top_k', rule: 'maximum', wanted: 100 },
    { path: 'format', rule: 'enum', wanted: ['markdown', 'json'] },
    { path: 'filter.page', rule: 'minimum', wanted: 1 },
  ]);
  expect(checkConfig(schema, { collections: ['1'], filter: {} })).toEqual([
    { path: 'filter.page', rule: 'required', wanted: 'page' },
  ]);
});

test('ids are read as numbers and as text, as the server reads them', () => {
  expect(checkConfig(schema, { collections: [12], assistant_id: '42' })).toEqual([]);
  expect(checkConfig(schema, { collections: ['1'], assistant_id: 'x' })).toMatchObject([{ path: 'assistant_id' }]);
});

test('neither the schema nor the configuration is changed', () => {
  const given = { schema: Object.freeze(structuredClone(schema)), config: { collections: [] } };
  const before = structuredClone(given);
  checkConfig(given.schema, given.config);
  expect(given).toEqual(before);
});
