import { expect, test } from 'vitest';
import { controlOf, type Control, type Schema } from './schema.ts';

const cases: [Control, Schema][] = [
  ['text', { type: 'string' }],
  ['textarea', { type: 'string', maxLength: 1000 }],
  ['textarea', { type: 'string', 'x-widget': 'textarea' }],
  ['choice', { type: 'string', enum: ['a', 'b'] }],
  ['number', { type: 'integer', minimum: 1 }],
  ['number', { type: 'number', 'x-widget': 'slider' }],
  ['slider', { type: 'number', minimum: 0, maximum: 1, 'x-widget': 'slider' }],
  ['switch', { type: 'boolean' }],
  ['list', { type: 'array', items: { type: 'string' } }],
  ['group', { type: 'object', properties: { page: { type: 'number' } } }],
  ['collections', { type: 'array', items: { type: 'string' }, 'x-widget': 'collections' }],
  ['rubric', { type: 'string', 'x-widget': 'rubric' }],
  ['file', { type: 'string', 'x-widget': 'file' }],
  ['assistant', { type: 'integer', 'x-widget': 'assistant' }],
  // A widget that is unknown, or of another type, gives way to the type.
  ['text', { type: 'string', 'x-widget': 'hologram' }],
  ['switch', { type: 'boolean', 'x-widget': 'rubric' }],
  ['text', { type: 'string', 'x-widget': 'constructor' }],
  // What the form does not know is edited as JSON, and never left out.
  ['json', {}],
  ['json', { type: ['string', 'null'] }],
  ['json', { enum: [1, 'a'] }],
  ['json', { type: 'object' }],
  ['json', { type: 'array', items: { type: 'object' } }],
];

test.each(cases)('%s for %j', (control, schema) => {
  expect(controlOf(schema)).toBe(control);
});
