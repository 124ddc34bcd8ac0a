import type { ToolCall } from '@lamb/contract';
import { describe, expect, it } from 'vitest';
import { createCallGuard } from './stop-conditions.ts';

const call = (name: string, text = '{}'): ToolCall => ({
  id: 'any',
  type: 'function',
  function: { name, arguments: text },
});

function judge(calls: readonly ToolCall[], maxCalls = 100): boolean[] {
  const guard = createCallGuard({ maxIterations: 5, maxCalls });
  return calls.map((each) => guard(each) === undefined);
}

describe('the guard of a turn', () => {
  it('refuses the same call the third time, and says what to do instead', () => {
    expect(judge([call('f'), call('f'), call('f'), call('f')])).toEqual([true, true, false, false]);
    const guard = createCallGuard({ maxIterations: 5, maxCalls: 9 });
    expect([guard(call('f')), guard(call('f')), guard(call('f'))].at(-1)).toMatch(/already made twice.*Use the result/);
  });

  it('tells calls apart by name and by arguments', () => {
    expect(judge([call('f'), call('f'), call('g'), call('f', '{"x":1}'), call('F')])).not.toContain(false);
  });

  it.each([
    ['the order of keys', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['white space', '{"a":[1,2]}', ' { "a" : [ 1 ,\n2 ] } '],
    ['how a character is written', '{"a":"é"}', '{"a":"\\u00e9"}'],
    ['how a number is written', '{"a":100}', '{"a":1e2}'],
  ])('is not misled by %s', (_what, first, second) => {
    expect(judge([call('f', first), call('f', second), call('f', first)])).toEqual([true, true, false]);
  });

  it('does not take a list in another order for the same', () => {
    expect(judge([call('f', '[1,2]'), call('f', '[2,1]'), call('f', '[1,2]')])).not.toContain(false);
  });

  it.each([
    ['half an object', '{"x":'],
    ['nothing', ''],
    ['text', 'not JSON'],
    ['JSON too deep to go through', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  ])('compares arguments that cannot be read as they are: %s', (_what, text) => {
    expect(judge([call('f', text), call('f', text), call('f', `${text} `), call('f', text)])).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('is not misled by a key called __proto__', () => {
    expect(judge([call('f', '{"__proto__":1}'), call('f', '{}'), call('f', '{}')])).not.toContain(false);
  });

  it('allows so many calls in all, refused ones counted', () => {
    const calls = ['a', 'a', 'a', 'b', 'c', 'd'].map((name) => call(name));
    expect(judge(calls, 4)).toEqual([true, true, false, true, false, false]);
    const guard = createCallGuard({ maxIterations: 5, maxCalls: 1 });
    guard(call('f'));
    expect(guard(call('g'))).toBe('No more than 1 calls are allowed in one turn. Answer with what you have.');
  });
});
