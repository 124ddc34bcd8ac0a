import type { ToolDefinition, ToolEntry } from '@lamb/contract';

const shared = { version: '1.0', aliases: [], description: 'Does something.', input_schema: null, templated: [] };

/** Definitions as the server sends them. */
export const definitions: ToolDefinition[] = [
  {
    ...shared,
    name: 'simple_rag',
    aliases: ['knowledge_base'],
    display_name: 'Knowledge base',
    category: 'knowledge',
    modes: ['context', 'function'],
    placeholder: 'context',
    effect: 'none',
    templated: ['query'],
    config_schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        collections: {
          type: 'array',
          minItems: 1,
          items: { type: 'string', pattern: '^[\\w-]{1,100}$' },
          'x-widget': 'collections',
        },
        top_k: { type: 'integer', minimum: 1, maximum: 100, default: 3 },
        query: { type: 'string', maxLength: 10_000 },
        citations: { type: 'boolean', default: false, 'x-initial': true },
        filter: { type: 'object', properties: { page: { type: 'number' } }, required: ['page'] },
      },
      required: ['collections'],
    },
  },
  {
    ...shared,
    name: 'rubric_rag',
    aliases: ['rubric'],
    display_name: 'Rubric',
    category: 'rubric',
    modes: ['context', 'function'],
    placeholder: 'rubric',
    effect: 'none',
    config_schema: { type: 'object', properties: { rubric_id: { type: 'string' } } },
  },
  {
    ...shared,
    name: 'weather',
    display_name: 'Weather',
    category: 'utility',
    modes: ['function'],
    placeholder: null,
    effect: 'none',
    config_schema: { type: 'object', properties: {} },
  },
];

/** An entry that is complete unless it is told otherwise. */
export function entry(type: string, more: Partial<ToolEntry> = {}): ToolEntry {
  const config = type === 'simple_rag' ? { collections: ['1'] } : {};
  return { type, mode: 'context', enabled: true, config, ...more };
}
