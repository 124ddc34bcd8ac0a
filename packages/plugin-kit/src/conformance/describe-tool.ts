import { describe, test } from 'vitest';
import type { Tool } from '../define-tool.ts';
import type { ToolExamples } from './tool-case.ts';
import { toolCases } from './tool-cases.ts';

/** Runs the rules that every tool keeps as tests; call it at the top of the tool's own test file. */
export function describeTool(tool: Tool, examples: ToolExamples): void {
  describe(`${tool.name} keeps the rules of a tool`, () => {
    for (const { name, run } of toolCases(tool, examples)) test(name, run);
  });
}
