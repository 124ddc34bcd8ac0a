import { expect, test } from 'vitest';
import { z } from 'zod';
import { findConfigProblems } from './find-config-problems.ts';

const schema = z.object({
  collections: z.array(z.string()).min(1),
  most: z.int().min(1).max(100).default(3),
  format: z.enum(['markdown', 'json']).default('json'),
  link: z.url().optional(),
  name: z.string().max(3).optional(),
});

test.each([
  [{}, 'collections', { rule: 'required' }],
  [{ collections: [] }, 'collections', { rule: 'minItems', limit: '1' }],
  [{ collections: ['1', 2] }, 'collections.1', { rule: 'type', limit: 'string' }],
  [{ collections: ['1'], most: 0 }, 'most', { rule: 'minimum', limit: '1' }],
  [{ collections: ['1'], most: 101 }, 'most', { rule: 'maximum', limit: '100' }],
  [{ collections: ['1'], most: 1.5 }, 'most', { rule: 'type', limit: 'integer' }],
  [{ collections: ['1'], format: 'xml' }, 'format', { rule: 'enum' }],
  [{ collections: ['1'], link: 'nowhere' }, 'link', { rule: 'pattern' }],
  [{ collections: ['1'], name: 'long' }, 'name', { rule: 'maxLength', limit: '3' }],
])('%j breaks a rule at %s', (config, at, params) => {
  const { error } = schema.safeParse(config);
  expect(error && findConfigProblems(error, config, 'tools.2')).toEqual([
    { severity: 'error', path: `tools.2.config.${at}`, code: 'config', params, message: expect.any(String) },
  ]);
});
