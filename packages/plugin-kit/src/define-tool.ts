import type { ChatMessage } from '@lamb/contract';
import type { z } from 'zod';
import type { ToolHost } from './tool-host.ts';
import type { ToolResult } from './tool-result.ts';

/** What a tool in context mode is given for one turn. */
export interface ContextInput<Config> {
  readonly config: Config;
  /** What the person asks, possibly rewritten by the prompt processor for retrieval. */
  readonly query: string;
  readonly messages: readonly ChatMessage[];
  readonly host: ToolHost;
  readonly signal: AbortSignal;
}

/** How a tool gathers context before the model speaks. */
export interface ContextMode<Config> {
  /** The placeholder it fills unless the assistant says otherwise. */
  readonly placeholder: string;
  /** How long one run may take unless the assistant says otherwise. */
  readonly timeoutMs?: number;
  /** What people read while it works; safe identifiers only. Without it: “calling {tool}”. */
  status?(input: { config: Config }): string | readonly string[];
  run(input: ContextInput<Config>): Promise<ToolResult>;
}

/** A tool, declared once: its validation, types, JSON Schema, form and documentation all come from this. */
export interface Tool<Config extends Record<string, unknown> = Record<string, unknown>> {
  readonly name: string;
  readonly version: string;
  readonly category: 'knowledge' | 'rubric' | 'file' | 'assistant' | 'utility' | 'lms' | 'none';
  readonly title: string;
  readonly description: string;
  readonly config: z.ZodType<Config>;
  /** The text fields of `config` that may refer to other placeholders, such as `{rubric}`. */
  readonly templated?: readonly (keyof Config & string)[];
  readonly context?: ContextMode<Config>;
}

/** Declares a tool. */
export function defineTool<Config extends Record<string, unknown>>(tool: Tool<Config>): Tool {
  return tool as Tool;
}
