import type { Problem, ToolEntry } from '@lamb/contract';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { makeCatalogue } from './__fixtures__/make-catalogue.ts';
import { makeFunction } from './__fixtures__/make-function.ts';
import { makeTool } from './__fixtures__/make-tool.ts';
import { planFunctions } from './plan-functions.ts';

const input = z.object({ city: z.string().meta({ description: 'Which city.' }), days: z.number().default(1) });
const tools = [
  makeFunction('weather', { input, timeoutMs: 2500 }),
  makeFunction('mail', { effect: 'once' }),
  makeFunction('note', { effect: 'idempotent' }),
  makeTool('reading'),
];

function plan(...entries: (Partial<ToolEntry> & { type: string })[]) {
  const problems: Problem[] = [];
  const placed = entries.map((entry, index) => ({
    entry: { mode: 'function' as const, enabled: true, config: {}, ...entry },
    path: `tools.${String(index)}`,
  }));
  return { functions: planFunctions(placed, makeCatalogue(tools), problems), problems };
}

describe('the functions of a plan', () => {
  it('are described for the model: name, description and what may be left out of the arguments', () => {
    const [weather] = plan({ type: 'weather' }).functions;
    expect(weather?.spec).toMatchObject({
      name: 'weather',
      description: 'Does weather.',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', description: 'Which city.' }, days: { type: 'number' } },
        required: ['city'],
      },
    });
    expect(weather).toMatchObject({ type: 'weather', effect: 'none', needsApproval: false });
  });

  it('take as long as the assistant says, else as the tool says, else ten seconds', () => {
    const { functions } = plan(
      { type: 'weather', config: { as: 'a' }, timeout_ms: 7 },
      { type: 'weather', config: { as: 'b' } },
      { type: 'note' },
    );
    expect(functions.map(({ timeoutMs }) => timeoutMs)).toEqual([7, 2500, 10_000]);
  });

  it.each([
    ['mail', undefined, true],
    ['mail', true, true],
    ['mail', false, false],
    ['note', undefined, false],
    ['note', true, false],
    ['weather', undefined, false],
  ])('%s with approval %s: needs approval is %s', (type, approval, needed) => {
    const { functions } = plan({ type, ...(approval === undefined ? {} : { approval }) });
    expect(functions[0]?.needsApproval).toBe(needed);
  });

  it('may be the same tool twice under two names, but not under one', () => {
    const { functions, problems } = plan(
      { type: 'note', config: { as: 'one' } },
      { type: 'note', config: { as: 'two' } },
      { type: 'weather', config: { as: 'one' } },
    );
    expect(functions.map(({ type, spec }) => [type, spec.name])).toEqual([
      ['note', 'one'],
      ['note', 'two'],
    ]);
    expect(problems).toEqual([
      {
        severity: 'error',
        path: 'tools.2',
        code: 'function_name_taken',
        params: { name: 'one' },
        message: 'Two tools would be called one. Remove one, or give one of them another name.',
      },
    ]);
  });

  it.each(['', 'get weather', '1st', 'wéather', 'a'.repeat(65), 'f()', '__proto__', '-x'])(
    'are not called “%s”',
    (name) => {
      const { functions, problems } = plan({ type: 'note', config: { as: name } });
      expect(functions).toEqual([]);
      expect(problems).toMatchObject([
        { severity: 'error', path: 'tools.0.config', code: 'function_name', params: { name } },
      ]);
    },
  );

  it('leave out, and report, a tool that is not there, cannot be called, or is configured wrongly', () => {
    const { functions, problems } = plan(
      { type: 'wether' },
      { type: 'reading' },
      { type: 'note', config: { as: 7 } },
      { type: 'note' },
    );
    expect(functions.map(({ type }) => type)).toEqual(['note']);
    expect(problems.map(({ path, message }) => [path, message])).toEqual([
      ['tools.0.type', 'There is no tool “wether”. Known: weather, mail, note, reading.'],
      ['tools.1.mode', '“reading” cannot be called by the model; set its mode to “context”.'],
      ['tools.2.config.as', expect.stringContaining('string')],
    ]);
  });
});
