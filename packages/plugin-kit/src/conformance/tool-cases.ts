import { PlaceholderName, ToolDefinition, USER_INPUT } from '@lamb/contract';
import { expect } from 'vitest';
import type { z } from 'zod';
import type { ContextMode, Tool } from '../define-tool.ts';
import { describeToolDefinition } from '../describe-tool-definition.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { ToolHost } from '../tool-host.ts';
import { ToolResult } from '../tool-result.ts';
import { breakHost, hangHost } from './hostile-host.ts';

/** What a tool's test tells the conformance suite about the tool. */
export interface ToolExamples {
  /** Configurations that must be accepted; the first one is used for the runs. */
  readonly validConfigs: readonly [unknown, ...unknown[]];
  /** Configurations that must be refused, each with the path that the error must name, such as `collections.0`. */
  readonly invalidConfigs: readonly { readonly config: unknown; readonly path: string }[];
  /** A host on which every valid configuration succeeds. */
  readonly host: ToolHost;
  /** What the person asks in the runs. */
  readonly query?: string;
}

/** One rule that every tool keeps. */
export interface ToolCase {
  readonly name: string;
  run(): Promise<void> | void;
}

/** Put where a secret or a document's text could be; it must never come out. */
const CANARY = 'canary-7f3a91-must-not-leave';
const NAME = /^[a-z][a-z0-9_]{0,63}$/;
const PATIENCE_MS = 1000;

/** The rules of `describeTool`, one by one, so that a test can plant a violation of each. */
export function toolCases(tool: Tool, examples: ToolExamples): ToolCase[] {
  const parse = (config: unknown) => tool.config.parse(config);
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
  const { context } = tool;
  if (!context) return cases;

  const start = (config: unknown, host: ToolHost, signal: AbortSignal) => {
    const query = examples.query ?? 'What is a vector?';
    return context.run({ config: parse(config), query, messages: [{ role: 'user', content: query }], host, signal });
  };
  const [config] = examples.validConfigs;
  return [
    ...cases,
    { name: 'fills a well-formed placeholder', run: () => checkPlaceholder(context) },
    ...examples.validConfigs.map((valid, index) => ({
      name: `says what it does without giving away text, configuration ${String(index + 1)}`,
      run: () => checkStatus(tool, context, parse(valid)),
    })),
    ...examples.validConfigs.map((valid, index) => ({
      name: `returns a valid result, configuration ${String(index + 1)}`,
      run: async () => checkResult(await start(valid, examples.host, new AbortController().signal)),
    })),
    {
      name: 'does not start when already aborted',
      run: () => checkAborted(() => start(config, examples.host, AbortSignal.abort())),
    },
    { name: 'stops when aborted while it waits', run: () => checkAbortedWhileWaiting(start, config, examples.host) },
    { name: 'fails without giving anything away', run: () => checkFailure(start, config, examples.host) },
  ];
}

type Start = (config: unknown, host: ToolHost, signal: AbortSignal) => Promise<ToolResult>;

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
  for (const { path, schema } of fieldsOf(definition.config_schema, '')) {
    for (const key of ['title', 'description']) {
      expect(schema[key], `${path} needs a ${key}: .meta({ title, description })`).toMatch(/\S/);
    }
  }
}

function checkTemplated(tool: Tool): void {
  const fields = new Map(fieldsOf(describeToolDefinition(tool).config_schema, '').map((field) => [field.path, field]));
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

function checkResult(result: ToolResult): void {
  expect(ToolResult.safeParse(result).error).toBeUndefined();
  expect(result.error).toBeUndefined();
}

async function checkAborted(start: () => Promise<ToolResult>): Promise<void> {
  const outcome = await settle(start);
  expect(outcome.rejected, 'call signal.throwIfAborted() before anything else').toBe(true);
}

async function checkAbortedWhileWaiting(start: Start, config: unknown, host: ToolHost): Promise<void> {
  const controller = new AbortController();
  const hanging = hangHost(host);
  const running = settle(() => start(config, hanging.host, controller.signal));
  const first = await Promise.race([running.then(() => 'done'), hanging.waiting.then(() => 'waiting')]);
  // A tool that asks the host for nothing has nothing to wait for.
  if (first === 'done') return;
  controller.abort();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, 'late');
  });
  const outcome = await Promise.race([running, late]);
  clearTimeout(timer);
  if (outcome === 'late') expect.fail('it goes on after an abort: pass `signal` to every call of the host');
  expect(outcome.rejected, 'an aborted run must reject, not return a result').toBe(true);
}

async function checkFailure(start: Start, config: unknown, host: ToolHost): Promise<void> {
  const broken = breakHost(host, CANARY);
  const outcome = await settle(() => start(config, broken.host, new AbortController().signal));
  if (!broken.wasAsked()) return;
  if (!outcome.rejected) {
    expect(outcome.result.error, 'a result without what it needs must say so in `error`').toMatch(/\S/);
    expect(JSON.stringify(outcome.result)).not.toContain(CANARY);
    return;
  }
  // The engine tells a creator the message of a ToolFailure; of any other error it says nothing.
  if (outcome.error instanceof ToolFailure) expect(outcome.error.message).not.toContain(CANARY);
  else expect(outcome.error, 'pass on the error of the host, or throw a ToolFailure').toBe(broken.error);
}

type Outcome = { rejected: false; result: ToolResult } | { rejected: true; error: unknown };

async function settle(start: () => Promise<ToolResult>): Promise<Outcome> {
  try {
    return { rejected: false, result: await start() };
  } catch (error) {
    return { rejected: true, error };
  }
}

interface Field {
  readonly path: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Every named field at any depth of a JSON Schema. */
function fieldsOf(schema: unknown, path: string): Field[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key !== 'properties' || typeof value !== 'object' || value === null) return fieldsOf(value, path);
    return Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
      const at = path === '' ? name : `${path}.${name}`;
      return [{ path: at, schema: field as Field['schema'] }, ...fieldsOf(field, at)];
    });
  });
}
