import { PlaceholderName, ToolDefinition, USER_INPUT } from '@lamb/contract';
import { expect } from 'vitest';
import type { z } from 'zod';
import type { ContextMode, Tool } from '../define-tool.ts';
import { describeToolDefinition } from '../describe-tool-definition.ts';
import type { ToolHost } from '../tool-host.ts';
import { functionCases } from './function-cases.ts';
import { listFields } from './list-fields.ts';
import { CANARY, checkResult, runCases } from './run-cases.ts';
import type { ToolCase, ToolExamples } from './tool-case.ts';

const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** The rules of `describeTool`, one by one, so that a test can plant a violation of each. */
export function toolCases(tool: Tool, examples: ToolExamples): ToolCase[] {
  const cases: ToolCase[] = [
    { name: 'has a name, a version, a title and a description', run: () => checkIdentity(tool) },
    { name: 'describes every field of its configuration', run: () => checkSchema(tool) },
    { name: 'marks only text fields as templated', run: () => checkTemplated(tool) },
    ...examples.validConfigs.map((config, index) => ({
      name: `accepts valid configuration ${String(index + 1)}`,
      run: () => checkValid(tool, config),
    })),
    ...examples.invalidConfigs.map(({ config, path }, index) => ({
      name: `refuses invalid configuration ${String(index + 1)} at ${path === '' ? 'its root' : path}`,
      run: () => checkInvalid(tool, config, path),
    })),
  ];
  return [...cases, ...contextCases(tool, examples), ...functionCases(tool, examples)];
}

function contextCases(tool: Tool, examples: ToolExamples): ToolCase[] {
  const { context } = tool;
  if (!context) return [];
  const parse = (config: unknown) => tool.config.parse(config);
  const start = (config: unknown, host: ToolHost, signal: AbortSignal) => {
    const query = examples.query ?? 'What is a vector?';
    return context.run({ config: parse(config), query, messages: [{ role: 'user', content: query }], host, signal });
  };
  const [config] = examples.validConfigs;
  return [
    { name: 'fills a well-formed placeholder', run: () => checkPlaceholder(context) },
    ...examples.validConfigs.map((valid, index) => ({
      name: `says what it does without giving away text, configuration ${String(index + 1)}`,
      run: () => checkStatus(tool, context, parse(valid)),
    })),
    ...examples.validConfigs.map((valid, index) => ({
      name: `returns a valid result, configuration ${String(index + 1)}`,
      run: async () => checkResult(await start(valid, examples.host, new AbortController().signal)),
    })),
    ...runCases('', (host, signal) => start(config, host, signal), examples.host),
  ];
}

function checkIdentity(tool: Tool): void {
  expect(tool.name).toMatch(NAME);
  expect(tool.version).toMatch(/^\d+\.\d+/);
  expect(tool.title.trim()).not.toBe('');
  expect(tool.description.trim()).not.toBe('');
}

function checkSchema(tool: Tool): void {
  const definition = ToolDefinition.parse(describeToolDefinition(tool));
  expect(definition.config_schema['type'], 'the configuration must be an object').toBe('object');
  expect(definition.config_schema, 'every field of the configuration must be named').toHaveProperty('properties');
  expect(JSON.parse(JSON.stringify(definition.config_schema))).toEqual(definition.config_schema);
  for (const { path, schema } of listFields(definition.config_schema)) {
    for (const key of ['title', 'description']) {
      expect(schema[key], `${path} needs a ${key}: .meta({ title, description })`).toMatch(/\S/);
    }
  }
}

function checkTemplated(tool: Tool): void {
  const fields = new Map(listFields(describeToolDefinition(tool).config_schema).map((field) => [field.path, field]));
  for (const name of tool.templated ?? []) {
    expect(fields.get(name)?.schema['type'], `templated field ${name} must be a text field of the configuration`).toBe(
      'string',
    );
  }
}

function checkValid(tool: Tool, config: unknown): void {
  const parsed = tool.config.parse(config);
  expect(tool.config.parse(parsed), 'a configuration that was read and saved must read the same').toEqual(parsed);
  expect(JSON.parse(JSON.stringify(parsed)), 'a configuration must survive being stored as JSON').toEqual(parsed);
}

function checkInvalid(tool: Tool, config: unknown, path: string): void {
  const parsed: z.ZodSafeParseResult<unknown> = tool.config.safeParse(config);
  expect(parsed.success, 'it must be refused').toBe(false);
  const issues = parsed.error?.issues ?? [];
  expect(issues.map((issue) => issue.path.join('.'))).toContain(path);
  for (const issue of issues) expect(issue.message).toMatch(/\S/);
}

function checkPlaceholder(context: ContextMode<Record<string, unknown>>): void {
  expect(PlaceholderName.safeParse(context.placeholder).error).toBeUndefined();
  expect(context.placeholder).not.toBe(USER_INPUT);
}

function checkStatus(tool: Tool, context: ContextMode<Record<string, unknown>>, config: Record<string, unknown>): void {
  // By the time a status is shown, a templated field may hold the text of a document.
  const filled = { ...config, ...Object.fromEntries((tool.templated ?? []).map((field) => [field, CANARY])) };
  for (const status of [context.status?.({ config: filled }) ?? []].flat()) {
    expect(status.trim()).not.toBe('');
    expect(status.length).toBeLessThan(200);
    expect(status).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(status).not.toContain(CANARY);
  }
}
