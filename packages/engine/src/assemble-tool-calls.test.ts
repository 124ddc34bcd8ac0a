import type { ModelEvent } from '@lamb/plugin-kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCallAssembler } from './assemble-tool-calls.ts';

type Piece = Omit<Extract<ModelEvent, { type: 'tool_call' }>, 'type'>;

function assemble(pieces: readonly Piece[], taken: readonly string[] = []) {
  const assembler = createCallAssembler('call_1', taken);
  for (const piece of pieces) assembler.add({ type: 'tool_call', ...piece });
  return assembler.finish().map(({ id, function: { name, arguments: text } }) => [id, name, text]);
}

describe('tool calls put together from pieces', () => {
  it.each<[what: string, pieces: Piece[], calls: string[][]]>([
    ['nothing', [], []],
    ['one whole call', [{ index: 0, id: 'a', name: 'f', arguments: '{}' }], [['a', 'f', '{}']]],
    ['a call without arguments', [{ index: 0, id: 'a', name: 'f' }], [['a', 'f', '']]],
    [
      'arguments in pieces',
      [
        { index: 0, id: 'a', name: 'f', arguments: '' },
        { index: 0, arguments: '{"x"' },
        { index: 0, arguments: ':1}' },
      ],
      [['a', 'f', '{"x":1}']],
    ],
    [
      'several calls, interleaved',
      [
        { index: 0, id: 'a', name: 'f' },
        { index: 1, id: 'b', name: 'g' },
        { index: 1, arguments: '{"b"' },
        { index: 0, arguments: '{"a"' },
        { index: 1, arguments: ':2}' },
        { index: 0, arguments: ':1}' },
      ],
      [
        ['a', 'f', '{"a":1}'],
        ['b', 'g', '{"b":2}'],
      ],
    ],
    [
      'calls in the order they began, whatever their index',
      [
        { index: 5, id: 'a', name: 'f', arguments: '1' },
        { index: 2, id: 'b', name: 'g', arguments: '2' },
      ],
      [
        ['a', 'f', '1'],
        ['b', 'g', '2'],
      ],
    ],
    [
      'name and id repeated with every piece',
      [
        { index: 0, id: 'a', name: 'f', arguments: '{' },
        { index: 0, id: 'a', name: 'f', arguments: '}' },
      ],
      [['a', 'f', '{}']],
    ],
    [
      'empty ids and names after the first piece',
      [
        { index: 0, id: 'a', name: 'f', arguments: '{' },
        { index: 0, id: '', name: '', arguments: '}' },
      ],
      [['a', 'f', '{}']],
    ],
    [
      'a name in pieces',
      [
        { index: 0, id: 'a', name: 'get_' },
        { index: 0, name: 'weather' },
        { index: 0, arguments: '{}' },
      ],
      [['a', 'get_weather', '{}']],
    ],
    [
      'an id that comes late',
      [
        { index: 0, name: 'f' },
        { index: 0, id: 'a', arguments: '{}' },
      ],
      [['a', 'f', '{}']],
    ],
    [
      'every call numbered 0 with an empty id, told apart by its name',
      [
        { index: 0, id: '', name: 'f', arguments: '{"x":1}' },
        { index: 0, id: '', name: 'g', arguments: '{"y":' },
        { index: 0, id: '', arguments: '2}' },
      ],
      [
        ['call_1_1', 'f', '{"x":1}'],
        ['call_1_2', 'g', '{"y":2}'],
      ],
    ],
    [
      'every call numbered 0, told apart by its id',
      [
        { index: 0, id: 'a', name: 'f', arguments: '{"x":1}' },
        { index: 0, id: 'b', name: 'f', arguments: '{"x"' },
        { index: 0, id: 'b', arguments: ':2}' },
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'f', '{"x":2}'],
      ],
    ],
    [
      'every call numbered 0 without an id, told apart by its name',
      [
        { index: 0, name: 'f', arguments: '{}' },
        { index: 0, name: 'g', arguments: '{}' },
      ],
      [
        ['call_1_1', 'f', '{}'],
        ['call_1_2', 'g', '{}'],
      ],
    ],
    [
      'missing ids',
      [
        { index: 0, name: 'f' },
        { index: 1, id: '', name: 'g' },
      ],
      [
        ['call_1_1', 'f', ''],
        ['call_1_2', 'g', ''],
      ],
    ],
    [
      'one id for all',
      [
        { index: 0, id: 'a', name: 'f' },
        { index: 1, id: 'a', name: 'f' },
        { index: 2, id: 'a', name: 'f' },
      ],
      [
        ['a', 'f', ''],
        ['call_1_2', 'f', ''],
        ['call_1_3', 'f', ''],
      ],
    ],
    [
      'an id that looks like one of ours',
      [
        { index: 0, id: 'call_1_2', name: 'f' },
        { index: 1, name: 'g' },
      ],
      [
        ['call_1_2', 'f', ''],
        ['call_1_2_2', 'g', ''],
      ],
    ],
    [
      'ids that are no names',
      ['\u0000', '../../x', 'a b', 'x'.repeat(129), 'ü'].map((id, index) => ({ index, id, name: 'f' })),
      [1, 2, 3, 4, 5].map((number) => [`call_1_${String(number)}`, 'f', '']),
    ],
    ['a piece without a name', [{ index: 0, arguments: '{}' }], [['call_1_1', '', '{}']]],
    ['broken JSON, as it came', [{ index: 0, id: 'a', name: 'f', arguments: '{"x":' }], [['a', 'f', '{"x":']]],
  ])('%s', (_what, pieces, calls) => {
    expect(assemble(pieces)).toEqual(calls);
  });

  it('gives an id that an earlier call of the conversation has to nobody else', () => {
    const pieces: Piece[] = [
      { index: 0, id: 'call_1', name: 'f' },
      { index: 1, name: 'g' },
    ];
    expect(assemble(pieces, ['call_1', 'call_1_2']).map(([id]) => id)).toEqual(['call_1_1', 'call_1_2_2']);
  });

  it('keeps a name short enough for an event', () => {
    const [call] = assemble([{ index: 0, id: 'a', name: 'f'.repeat(1_000_000) }]);
    expect(call?.[1]).toHaveLength(256);
  });

  it('takes a megabyte of arguments in pieces of seven characters', () => {
    const text = JSON.stringify({ text: 'x'.repeat(1_000_000) });
    const pieces: Piece[] = (text.match(/.{1,7}/gs) ?? []).map((piece) => ({ index: 0, name: 'f', arguments: piece }));
    expect(assemble([{ index: 0, id: 'a' }, ...pieces])).toEqual([['a', 'f', text]]);
  });

  const call = fc.record({
    name: fc.stringMatching(/^[a-z_]{1,12}$/),
    json: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })).map((value) => JSON.stringify(value)),
    size: fc.integer({ min: 1, max: 9 }),
    repeatsName: fc.boolean(),
    repeatsId: fc.boolean(),
  });

  it('come out as they were meant, however their pieces are cut and mixed', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 6 }), fc.infiniteStream(fc.nat()), (calls, choices) => {
        const queues = calls.map(({ name, json, size, repeatsName, repeatsId }, index) =>
          (json.match(new RegExp(`[^]{1,${String(size)}}`, 'g')) ?? []).map((text, position): Piece => ({
            index,
            ...(position === 0 || repeatsId ? { id: `id-${String(index)}` } : {}),
            ...(position === 0 || repeatsName ? { name } : {}),
            arguments: text,
          })),
        );
        const pieces: Piece[] = queues.flatMap((queue) => queue.splice(0, 1));
        for (let open = queues.filter((queue) => queue.length > 0); open.length > 0;) {
          pieces.push(...(open[Number(choices.next().value) % open.length]?.splice(0, 1) ?? []));
          open = queues.filter((queue) => queue.length > 0);
        }
        expect(assemble(pieces)).toEqual(calls.map(({ name, json }, index) => [`id-${String(index)}`, name, json]));
      }),
      { numRuns: 300 },
    );
  });

  it('always have ids of their own', () => {
    const id = fc.option(fc.constantFrom('', 'a', 'call_1_1', 'call_1_2', 'call_1_2_2', 'call_1_3'), {
      nil: undefined,
    });
    fc.assert(
      fc.property(
        fc.array(id, { maxLength: 6 }),
        fc.array(fc.constantFrom('a', 'call_1_1', 'call_1_4')),
        (ids, taken) => {
          const pieces = ids.map((given, index) => ({
            index,
            name: 'f',
            ...(given === undefined ? {} : { id: given }),
          }));
          const made = assemble(pieces, taken).map(([one]) => one);
          expect(made).toHaveLength(ids.length);
          expect(new Set([...made, ...taken]).size).toBe(made.length + new Set(taken).size);
        },
      ),
      { numRuns: 500 },
    );
  });
});
