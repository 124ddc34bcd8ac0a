import { expect } from 'vitest';
import type { FunctionMode, Tool } from '../define-tool.ts';
import { describeFunction } from '../describe-function.ts';
import type { ToolHost } from '../tool-host.ts';
import { listFields } from './list-fields.ts';
import { checkResult, runCases } from './run-cases.ts';
import type { ToolCase, ToolExamples } from './tool-case.ts';

/** What every provider accepts as the name of a function. */
const FUNCTION_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

type Callable = FunctionMode<Record<string, unknown>, Record<string, unknown>>;

/** The rules of a tool that the model calls. */
export function functionCases(tool: Tool, examples: ToolExamples): ToolCase[] {
  const { function: callable } = tool;
  if (!callable) return [];
  const { validConfigs, validArguments = [{}], invalidArguments = [] } = examples;
  const call = (config: unknown, given: unknown, host: ToolHost, signal: AbortSignal) =>
    callable.run({
      config: tool.config.parse(config),
      arguments: callable.input.parse(given),
      idempotencyKey: 'run-1:call-1',
      host,
      signal,
    });
  const succeed = async (config: unknown, given: unknown) => {
    checkResult(await call(config, given, examples.host, new AbortController().signal));
  };
  return [
    ...validConfigs.map((config, index) => ({
      name: `offers a well-formed function, configuration ${String(index + 1)}`,
      run: () => checkSpec(tool, tool.config.parse(config)),
    })),
    { name: 'describes every argument', run: () => checkArgumentSchema(tool, tool.config.parse(validConfigs[0])) },
    ...validArguments.map((given, index) => ({
      name: `accepts valid arguments ${String(index + 1)}`,
      run: () => checkValidArguments(callable, given),
    })),
    ...invalidArguments.map(({ arguments: given, path }, index) => ({
      name: `refuses invalid arguments ${String(index + 1)} at ${path === '' ? 'their root' : path}`,
      run: () => checkInvalidArguments(callable, given, path),
    })),
    ...validConfigs.map((config, index) => ({
      name: `when called, returns a valid result, configuration ${String(index + 1)}`,
      run: () => succeed(config, validArguments[0]),
    })),
    ...validArguments.slice(1).map((given, index) => ({
      name: `when called, returns a valid result, arguments ${String(index + 2)}`,
      run: () => succeed(validConfigs[0], given),
    })),
    ...runCases(
      'when called, ',
      (host, signal) => call(validConfigs[0], validArguments[0], host, signal),
      examples.host,
    ),
  ];
}

function checkSpec(tool: Tool, config: Record<string, unknown>): void {
  const spec = describeFunction(tool, config);
  expect(spec?.name).toMatch(FUNCTION_NAME);
  expect(spec?.description, 'the model decides by the description').toMatch(/\S/);
  expect(describeFunction(tool, config), 'the same configuration must give the same function').toEqual(spec);
}

function checkArgumentSchema(tool: Tool, config: Record<string, unknown>): void {
  const { parameters = {} } = describeFunction(tool, config) ?? {};
  expect(parameters['type'], 'the arguments must be an object').toBe('object');
  expect(parameters, 'every argument must be named').toHaveProperty('properties');
  expect(JSON.parse(JSON.stringify(parameters))).toEqual(parameters);
  for (const { path, schema } of listFields(parameters)) {
    expect(schema['description'], `${path} needs a description: .meta({ description })`).toMatch(/\S/);
  }
}

function checkValidArguments({ input }: Callable, given: unknown): void {
  const parsed = input.parse(given);
  expect(JSON.parse(JSON.stringify(parsed)), 'arguments must survive being stored as JSON').toEqual(parsed);
}

function checkInvalidArguments({ input }: Callable, given: unknown, path: string): void {
  const { success, error } = input.safeParse(given);
  expect(success, 'they must be refused').toBe(false);
  const issues = error?.issues ?? [];
  expect(issues.map((issue) => issue.path.join('.'))).toContain(path);
  for (const issue of issues) expect(issue.message, 'the model reads this to do better').toMatch(/\S/);
}
