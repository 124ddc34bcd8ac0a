import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nastyText } from './__fixtures__/nasty-text.ts';
import { fillTemplate, parseTemplate, placeholdersOf } from './template.ts';

describe('parseTemplate', () => {
  it.each([
    ['', []],
    ['no placeholder', [{ literal: 'no placeholder' }]],
    ['{context}', [{ placeholder: 'context' }]],
    ['a{b}{c_2}d', [{ literal: 'a' }, { placeholder: 'b' }, { placeholder: 'c_2' }, { literal: 'd' }]],
    ['{{context}}', [{ literal: '{' }, { placeholder: 'context' }, { literal: '}' }]],
    ['{con{text}}', [{ literal: '{con' }, { placeholder: 'text' }, { literal: '}' }]],
    ['{Context}{2nd}{_x}{}{ x }{x', [{ literal: '{Context}{2nd}{_x}{}{ x }{x' }]],
    ['{__proto__}{constructor}', [{ literal: '{__proto__}' }, { placeholder: 'constructor' }]],
    ['{ñ}{x\u0301}', [{ literal: '{ñ}{x\u0301}' }]],
  ])('splits %j', (text, segments) => {
    expect(parseTemplate(text)).toEqual(segments);
  });

  it('loses nothing: putting every placeholder back gives the text', () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        expect(fillTemplate(parseTemplate(text), new Map(), (name) => `{${name}}`)).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes time in proportion to the length of an unclosed template', () => {
    const started = performance.now();
    parseTemplate('{a'.repeat(500_000));
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe('placeholdersOf', () => {
  it('names each placeholder once, in order of appearance', () => {
    expect(placeholdersOf(parseTemplate('{b} {a} {b} {user_input}'))).toEqual(['b', 'a', 'user_input']);
  });
});

describe('fillTemplate', () => {
  it('never scans what it filled in', () => {
    const values = new Map([
      ['a', '{b}$&'],
      ['b', '{a}'],
    ]);
    expect(fillTemplate(parseTemplate('{a}-{b}-{c}'), values, () => '')).toBe('{b}$&-{a}-');
  });
});
