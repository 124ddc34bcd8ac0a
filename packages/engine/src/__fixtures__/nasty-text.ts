import fc from 'fast-check';

/** Names that placeholders may have, among them some that an ordinary object already holds. */
export const placeholderNames = ['context', 'rubric', 'file', 'user_input', 'context_2', 'constructor', 'x'] as const;

const pieces = [
  ...placeholderNames.map((name) => `{${name}}`),
  '{__proto__}',
  '{Context}',
  '{toString}',
  '{ context }',
  '{{context}}',
  '{user_input',
  'context}',
  '{}',
  '{',
  '}',
  '$&',
  '$1',
  '$$',
  '$`',
  "$'",
  '$<name>',
  '\\{context\\}',
  '%s',
  '\n\n',
  '\r\n',
  '\u2028',
  '\0',
  'plain words ',
  'ñandú ',
  '👩‍🏫',
  '\uD800',
  'e\u0301',
  '{"json": [1]}',
  'function f(x) { return {x}; }',
];

const piece = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...pieces) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
);

/** Text full of what breaks careless template engines. */
export const nastyText: fc.Arbitrary<string> = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
