import type { Problem } from '@lamb/contract';
import { defineTool } from '@lamb/plugin-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { makeAssistant } from './__fixtures__/make-assistant.ts';
import { makeCatalogue } from './__fixtures__/make-catalogue.ts';
import { makeTool } from './__fixtures__/make-tool.ts';
import { compilePlan } from './compile-plan.ts';

const strictConfig = z.object({
  collections: z.array(z.string()).min(1),
  top_k: z.number().int().default(5),
  filter: z.object({ page: z.number() }).optional(),
});

const weather = defineTool({
  name: 'weather',
  version: '1.0',
  category: 'utility',
  title: 'Weather',
  description: 'Only for the model to call.',
  config: z.object({}),
});

const catalogue = makeCatalogue(
  [
    makeTool('simple_rag', { placeholder: 'context', timeoutMs: 4000 }),
    makeTool('rubric_rag', { placeholder: 'rubric' }),
    makeTool('strict', { config: strictConfig }),
    weather,
  ],
  [{ name: 'moodle_augment', title: 'Moodle', description: '', placeholders: ['moodle_user'] }],
);

function compile(...args: Parameters<typeof makeAssistant>) {
  return compilePlan(makeAssistant(...args), catalogue);
}

function errorsOf(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ severity }) => severity === 'error');
}

function placeholdersByLevel(plan: ReturnType<typeof compile>['plan']): string[][] {
  return plan.levels.map((level) => level.map(({ placeholder }) => placeholder));
}

describe('a plan', () => {
  it('carries what the assistant says and the defaults for the rest', () => {
    const { plan, problems } = compile({
      system: 'Be kind.',
      template: '{context}{user_input}',
      tools: [{ type: 'simple_rag', config: { collections: ['12'] } }],
    });
    expect(problems).toEqual([]);
    expect(plan).toMatchObject({
      assistantId: 7,
      kind: 'multi_tool',
      systemPrompt: 'Be kind.',
      template: [{ placeholder: 'context' }, { placeholder: 'user_input' }],
      connector: 'scripted',
      model: 'model-1',
      vision: false,
      verbose: false,
      deadlineMs: 120_000,
    });
    expect(plan.levels).toMatchObject([
      [
        {
          type: 'simple_rag',
          placeholder: 'context',
          timeoutMs: 4000,
          fallback: '',
          writtenConfig: { collections: ['12'] },
        },
      ],
    ]);
  });

  it('carries limits, fallbacks, deadlines, vision and verbosity where they are set', () => {
    const { plan } = compile({
      template: '{rubric}{user_input}',
      tools: [{ type: 'rubric', timeout_ms: 300, fallback: 'No rubric today.' }],
      metadata: { limits: { deadline_ms: 5000 }, capabilities: { vision: true }, verbose: true },
    });
    expect(plan).toMatchObject({ deadlineMs: 5000, vision: true, verbose: true });
    expect(plan.levels).toMatchObject([[{ type: 'rubric_rag', timeoutMs: 300, fallback: 'No rubric today.' }]]);
  });

  it('gives a tool ten seconds where neither the tool nor the assistant says otherwise', () => {
    const { plan } = compile({ tools: [{ type: 'rubric_rag' }] });
    expect(plan.levels[0]?.[0]?.timeoutMs).toBe(10_000);
  });

  it('has no template when the assistant has none', () => {
    const { plan, problems } = compile({ template: '', tools: [{ type: 'simple_rag' }] });
    expect(plan.template).toBeUndefined();
    expect(problems).toEqual([
      {
        severity: 'warning',
        path: 'tools.0.placeholder',
        code: 'unused',
        params: { name: 'context' },
        message: 'The template does not use {context}, so what this tool finds does not reach the model.',
      },
    ]);
  });

  it('leaves out what is disabled, however broken it is', () => {
    const { plan, problems } = compile({
      tools: [
        { type: 'nonsense', enabled: false },
        { type: 'strict', enabled: false, placeholder: 'user_input' },
        { type: 'simple_rag', enabled: false, config: { query: '{context}' } },
      ],
    });
    expect(plan.levels).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('does not change with what it was compiled from', () => {
    const assistant = makeAssistant({
      tools: [{ type: 'simple_rag', config: { query: '{rubric}' } }, { type: 'rubric' }],
    });
    const before = structuredClone(assistant);
    expect(compilePlan(assistant, catalogue)).toEqual(compilePlan(assistant, catalogue));
    expect(assistant).toEqual(before);
  });
});

describe('names that do not exist', () => {
  it.each([
    [
      'tool',
      { tools: [{ type: 'simple_rug' }] },
      'tools.0.type',
      ['unknown_tool', 'simple_rug'],
      'There is no tool “simple_rug”. Known: simple_rag, rubric_rag, strict, weather.',
    ],
    [
      'connector',
      { metadata: { connector: 'opnai' } },
      'connector',
      ['unknown_connector', 'opnai'],
      'There is no connector “opnai”. Known: scripted.',
    ],
    [
      'prompt processor',
      { metadata: { prompt_processor: 'augment' } },
      'prompt_processor',
      ['unknown_processor', 'augment'],
      'There is no prompt processor “augment”. Known: multi_augment, simple_augment, moodle_augment.',
    ],
    [
      'tool, with a name that could not be a placeholder either',
      { tools: [{ type: 'Look-alike' }] },
      'tools.0.type',
      ['unknown_tool', 'Look-alike'],
      'There is no tool “Look-alike”. Known: simple_rag, rubric_rag, strict, weather.',
    ],
  ])('are reported with the known ones: %s', (_what, options, path, [code, name], message) => {
    expect(errorsOf(compile(options).problems)).toEqual([{ severity: 'error', path, code, params: { name }, message }]);
  });

  it('leave a plan that can still run', () => {
    const { plan } = compile({
      tools: [{ type: 'simple_rug', placeholder: 'context', fallback: 'nothing' }],
      metadata: { prompt_processor: 'augment' },
    });
    expect(plan.levels[0]?.[0]).toMatchObject({ fallback: 'nothing', ready: { problem: { code: 'invalid_config' } } });
    expect(plan.processor.name).toBe('augment');
  });
});

describe('a tool’s configuration', () => {
  it('is reported with the path of each mistake', () => {
    const { plan, problems } = compile({
      template: '{strict}{user_input}',
      tools: [{ type: 'strict', config: { collections: [7], top_k: 1.5, filter: { page: 'one' } } }],
    });
    expect(problems.map(({ severity, path }) => `${severity} ${path}`)).toEqual([
      'error tools.0.config.collections.0',
      'error tools.0.config.top_k',
      'error tools.0.config.filter.page',
    ]);
    expect(plan.levels[0]?.[0]?.ready).toMatchObject({ problem: { code: 'invalid_config' } });
  });

  it('counts entries as they were written, not as they are enabled', () => {
    const { problems } = compile({
      template: '{strict}{user_input}',
      tools: [
        { type: 'rubric', enabled: false },
        { type: 'strict', config: {} },
      ],
    });
    expect(problems.map(({ path }) => path)).toEqual(['tools.1.config.collections']);
  });

  it('is completed by the schema’s defaults for the run, and kept as written for the trace', () => {
    const { plan } = compile({ tools: [{ type: 'strict', config: { collections: ['1'] } }] });
    expect(plan.levels[0]?.[0]).toMatchObject({
      writtenConfig: { collections: ['1'] },
      ready: { config: { collections: ['1'], top_k: 5 } },
    });
  });

  it('does not help a tool that gathers no context', () => {
    expect(errorsOf(compile({ tools: [{ type: 'weather' }] }).problems)).toEqual([
      {
        severity: 'error',
        path: 'tools.0.mode',
        code: 'not_context',
        params: {},
        message: '“weather” cannot gather context; set its mode to “function”.',
      },
    ]);
  });
});

describe('placeholders of tools', () => {
  it('default to the tool’s own, numbered from the second use on', () => {
    const { plan, problems } = compile({
      template: '{context}{context_2}{context_3}{rubric}{user_input}',
      tools: [{ type: 'simple_rag' }, { type: 'simple_rag' }, { type: 'rubric' }, { type: 'simple_rag' }],
    });
    expect(placeholdersByLevel(plan)).toEqual([['context', 'context_2', 'rubric', 'context_3']]);
    expect(problems).toEqual([]);
  });

  it('default to a name that no other entry asks for', () => {
    const { plan, problems } = compile({
      template: '{context}{context_2}{context_3}{user_input}',
      tools: [
        { type: 'simple_rag' },
        { type: 'rubric', placeholder: 'context' },
        { type: 'rubric', placeholder: 'context_2' },
      ],
    });
    expect(placeholdersByLevel(plan)).toEqual([['context_3', 'context', 'context_2']]);
    expect(problems).toEqual([]);
  });

  it('are refused when two tools claim one', () => {
    const { problems } = compile({
      template: '{shared}{user_input}',
      tools: [
        { type: 'simple_rag', placeholder: 'shared' },
        { type: 'rubric', placeholder: 'shared' },
      ],
    });
    expect(problems).toEqual([
      {
        severity: 'error',
        path: 'tools.1.placeholder',
        code: 'name_taken',
        params: { name: 'shared', by: 'simple_rag' },
        message: '{shared} is already filled by tools.0; give each tool its own.',
      },
    ]);
  });

  it.each([
    '__proto__',
    'constructor',
    'user_input',
    'Context',
    'CONTEXT',
    'con text',
    '{context}',
    '2nd',
    '_x',
    '',
    'ñ',
    'a-b',
    'x\n',
    'x'.repeat(65),
  ])('are refused when they are called %j', (placeholder) => {
    const { problems } = compile({ tools: [{ type: 'simple_rag', placeholder }] });
    expect(errorsOf(problems)).toMatchObject([{ path: 'tools.0.placeholder' }]);
  });

  it('are refused when the prompt processor fills them', () => {
    const { problems } = compile({
      template: '{moodle_user}{user_input}',
      tools: [{ type: 'simple_rag', placeholder: 'moodle_user' }],
      metadata: { prompt_processor: 'moodle_augment' },
    });
    expect(errorsOf(problems)).toMatchObject([{ path: 'tools.0.placeholder' }]);
  });
});

describe('references between tools', () => {
  it('decide the order, not the position in the list', () => {
    const { plan, problems } = compile({
      template: '{glossary}{user_input}',
      tools: [
        { type: 'simple_rag', placeholder: 'glossary', config: { query: 'terms in {rubric} and {context}' } },
        { type: 'simple_rag', config: { query: '{rubric}: {user_input}' } },
        { type: 'rubric' },
      ],
    });
    expect(placeholdersByLevel(plan)).toEqual([['rubric'], ['context'], ['glossary']]);
    expect(problems).toEqual([]);
  });

  it('are only read from fields that the tool declares as templated', () => {
    const { plan } = compile({
      template: '{context}{rubric}{user_input}',
      tools: [{ type: 'simple_rag', config: { note: '{rubric}' } }, { type: 'rubric' }],
    });
    expect(placeholdersByLevel(plan)).toEqual([['context', 'rubric']]);
  });

  it('to nobody are a warning at the tool that makes them', () => {
    const { problems } = compile({
      template: '{context}{user_input}',
      tools: [{ type: 'simple_rag', config: { query: '{glossary}' } }],
    });
    expect(problems).toEqual([
      {
        severity: 'warning',
        path: 'tools.0.config',
        code: 'unfilled',
        params: { name: 'glossary' },
        message: 'Nothing fills {glossary}; it will be left out.',
      },
    ]);
  });

  it('in a cycle are refused, naming those on it and nobody else', () => {
    const { plan, problems } = compile({
      template: '{a}{b}{c}{d}{user_input}',
      tools: [
        { type: 'simple_rag', placeholder: 'a', config: { query: '{b}' } },
        { type: 'simple_rag', placeholder: 'b', config: { query: '{a}' } },
        { type: 'simple_rag', placeholder: 'c', config: { query: '{a}' } },
        { type: 'simple_rag', placeholder: 'd' },
      ],
    });
    const message = '{a}, {b} wait for each other; remove one of the references.';
    expect(problems).toEqual([
      { severity: 'error', path: 'tools.0.config', code: 'cycle', params: { names: '{a}, {b}' }, message },
      { severity: 'error', path: 'tools.1.config', code: 'cycle', params: { names: '{a}, {b}' }, message },
    ]);
    expect(placeholdersByLevel(plan)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(plan.levels[0]).toMatchObject([
      { ready: { problem: { code: 'invalid_config' } } },
      { ready: { problem: { code: 'invalid_config' } } },
    ]);
  });

  it('to itself are refused', () => {
    const { problems } = compile({
      template: '{context}{user_input}',
      tools: [{ type: 'simple_rag', config: { query: 'more of {context}' } }],
    });
    expect(problems).toEqual([
      {
        severity: 'error',
        path: 'tools.0.config',
        code: 'self_reference',
        params: { name: 'context' },
        message: '{context} refers to itself; remove the reference.',
      },
    ]);
  });
});

describe('the template', () => {
  it('may name placeholders that nothing fills, and use none of a tool’s, with a warning', () => {
    const { problems } = compile({ template: '{rubric} {user_input}', tools: [{ type: 'simple_rag' }] });
    expect(problems).toEqual([
      {
        severity: 'warning',
        path: 'prompt_template',
        code: 'unfilled',
        params: { name: 'rubric' },
        message: 'Nothing fills {rubric}; it will be left out of the prompt.',
      },
      {
        severity: 'warning',
        path: 'tools.0.placeholder',
        code: 'unused',
        params: { name: 'context' },
        message: 'The template does not use {context}, so what this tool finds does not reach the model.',
      },
    ]);
  });

  it('without {user_input} is a warning, even when a tool searches with it', () => {
    const { problems } = compile({
      template: '{context}',
      tools: [{ type: 'simple_rag', config: { query: 'about {user_input}' } }],
    });
    expect(problems).toEqual([
      {
        severity: 'warning',
        path: 'prompt_template',
        code: 'no_user_input',
        params: { name: 'user_input' },
        message: 'The template does not use {user_input}, so the model will not see the person’s message.',
      },
    ]);
  });

  it('may use what the prompt processor fills', () => {
    const metadata = { prompt_processor: 'moodle_augment' };
    expect(compile({ template: '{moodle_user}{user_input}', metadata }).problems).toEqual([]);
  });
});

describe('a classic assistant', () => {
  const classic = { assistant_type: 'classic', prompt_processor: 'simple_augment' };

  it('has its tool on {context}, and its other braces are its own', () => {
    const { plan, problems } = compile({
      template: '{context} {rubric} {anything} {user_input}',
      tools: [{ type: 'rubric_rag' }],
      metadata: classic,
    });
    expect(placeholdersByLevel(plan)).toEqual([['context']]);
    expect(problems).toEqual([]);
  });

  it('cannot have its tool elsewhere', () => {
    const tools = [{ type: 'rubric_rag', placeholder: 'rubric' }];
    const { problems } = compile({ template: '{rubric}{user_input}', tools, metadata: classic });
    expect(errorsOf(problems)).toEqual([
      {
        severity: 'error',
        path: 'tools.0.placeholder',
        code: 'classic_placeholder',
        params: { name: 'context' },
        message: 'In a classic assistant the tool fills {context}. Name that, or make it a multi-tool assistant.',
      },
    ]);
  });

  it('has no more than one context tool', () => {
    const { problems } = compile({
      template: '{context}{user_input}',
      tools: [{ type: 'simple_rag' }, { type: 'rubric_rag' }],
      metadata: classic,
    });
    expect(errorsOf(problems)).toMatchObject([
      {
        path: 'tools',
        message: 'A classic assistant has one context tool. Keep one, or make it a multi-tool assistant.',
      },
    ]);
  });
});
