import type { ModelEvent } from '@lamb/plugin-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createChunkTemplate } from './create-chunk-template.ts';
import { readOpenAiChunk, type OpenAiEnding } from './read-openai-chunk.ts';

interface Reading {
  events: readonly ModelEvent[];
  ending: OpenAiEnding;
  broken: boolean;
}

/** What the parser alone reads. */
function readSlowly(data: string): Reading {
  const events: ModelEvent[] = [];
  const ending: OpenAiEnding = { reason: undefined, usage: undefined };
  try {
    readOpenAiChunk(data, ending, events, undefined);
    return { events, ending, broken: false };
  } catch {
    return { events, ending, broken: true };
  }
}

/** What a chunk means by the template, in the same words. */
function readByTemplate(text: string): Reading {
  return {
    events: text === '' ? [] : [{ type: 'text', text }],
    ending: { reason: undefined, usage: undefined },
    broken: false,
  };
}

const chunk = (content: string, { before = '', after = '' } = {}) =>
  `{${before}"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}},"finish_reason":null}]${after}}`;

test('later chunks need no parsing', () => {
  const template = createChunkTemplate();
  expect(template.match(chunk('Hello'))).toBeUndefined();
  template.learn(chunk('Hello'), 'Hello');
  expect(template.match(chunk(' wörld 😀\u2028'))).toBe(' wörld 😀\u2028');
  expect(template.match(chunk(''))).toBe('');
});

test('a chunk that differs elsewhere, or has something to unescape, is left to the parser', () => {
  const template = createChunkTemplate();
  template.learn(chunk('Hello'), 'Hello');
  const others = [
    chunk('a "quote"'),
    chunk('a\nline'),
    chunk('a back\\slash'),
    chunk('x').replace('null', '"stop"'),
    chunk('x', { after: ',"usage":{"prompt_tokens":1,"completion_tokens":2}' }),
    chunk('x').slice(0, -1),
    chunk('x').replace('"x"', '"x","content":"y"'),
    chunk('x').replace('"x"', '"x\\"'),
    chunk('x').replace('"x"', '"x\u0001"'),
    '[DONE]',
    '',
  ];
  for (const other of others) expect(template.match(other), other).toBeUndefined();
});

test('a place that only looks like the text is not learnt', () => {
  const decoys = [
    // The first "content" is somewhere else.
    chunk('Hello', { before: '"note":{"content":"Hello"},' }).replace(
      '"delta":{"content":"Hello"}',
      '"delta":{"text":1,"content":"Hel\\u006co"}',
    ),
    // Two of the same name: the last one counts.
    '{"choices":[{"delta":{"content":"Hello","content":"Hello"}}]}',
    // Twice in the answer.
    '{"choices":[{"delta":{"content":"Hello","refusal":"Hello"}}]}',
    // The probe itself, which proves nothing.
    '{"choices":[{"delta":{"content":"lamb\\u0020probe","x":"lamb probe"}}]}',
  ];
  for (const decoy of decoys) {
    const [event] = readSlowly(decoy).events;
    const template = createChunkTemplate();
    if (event?.type === 'text') template.learn(decoy, event.text);
    const changed = decoy.replace(/"(Hello|lamb probe)"/u, '"Bye"');
    const text = template.match(changed);
    if (text !== undefined) expect(readByTemplate(text)).toEqual(readSlowly(changed));
  }
});

test('a stream whose chunks keep differing is given up on', () => {
  const template = createChunkTemplate();
  const at = (time: number) => chunk('Hello', { before: `"created":${time},` });
  for (let time = 1; time <= 10; time++) template.learn(at(time), 'Hello');
  expect(template.match(at(10))).toBeUndefined();
});

interface Shape {
  top: string[];
  choice: string[];
  first: string[];
  last: string[];
  end: string[];
  gap: string;
}

test('what the template reads is what the parser reads', () => {
  const key = fc.constantFrom(
    'content',
    'delta',
    'choices',
    'usage',
    'error',
    'finish_reason',
    'reasoning',
    'refusal',
    'x',
  );
  const text = fc.oneof(
    fc.constantFrom('', 'Hello', 'content', '"', '\\', '\n', 'lamb probe', ' t1', '","content":"', '\u2028', '😀'),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  );
  const literal = fc.oneof(
    text.map((value) => JSON.stringify(value)),
    // Not everyone escapes alike, and not everything is JSON.
    text.map((value) => `"${value}"`),
    fc.constantFrom('null', '1', '[]', '{}', 'true', '"\\u0048ello"', '"\\/"'),
  );
  const member = fc.tuple(key, literal).map(([name, value]) => `"${name}":${value}`);
  const members = fc.array(member, { maxLength: 2 });
  const space = fc.constantFrom('', ' ', '\n');
  // The parts of a chunk that a stream repeats, with the text left open.
  const shape: fc.Arbitrary<Shape> = fc.record({
    top: members,
    choice: members,
    first: members,
    last: members,
    end: members,
    gap: space,
  });
  const fill = ({ top, choice, first, last, end, gap }: Shape, content: string): string => {
    const delta = [...first, `"content":${gap}${content}`, ...last].join(`,${gap}`);
    const inner = [...choice, `"delta":${gap}{${delta}}`].join(',');
    return `{${[...top, `"choices":[{${inner}}]`, ...end].join(',')}}`;
  };

  let matches = 0;
  fc.assert(
    fc.property(
      fc.array(shape, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(), literal), { minLength: 2, maxLength: 12 }),
      (shapes, contents) => {
        const template = createChunkTemplate();
        for (const [which, content] of contents) {
          const data = fill(pick(shapes, which), content);
          const read = readSlowly(data);
          const matched = template.match(data);
          if (matched !== undefined) {
            matches++;
            expect(readByTemplate(matched)).toEqual(read);
          }
          const [event] = read.events;
          if (!read.broken && event?.type === 'text') template.learn(data, event.text);
        }
      },
    ),
    { numRuns: 5000 },
  );
  expect(matches).toBeGreaterThan(1000);
});

function pick<Item>(items: readonly Item[], which: number): Item {
  const item = items[which % items.length];
  if (item === undefined) throw new Error('There is nothing to pick from.');
  return item;
}
