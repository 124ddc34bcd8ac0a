import type { ChatMessage } from '@lamb/contract';
import type { z } from 'zod';
import type { ToolHost } from './tool-host.ts';
import type { ToolResult } from './tool-result.ts';

/** What a tool in context mode is given for one turn. */
export interface ContextInput<Config> {
  readonly config: Config;
  /** What the person asks, possibly rewritten for retrieval, by the prompt processor or because the tool wants it. */
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
  /** Whether `query` is to be the question completed from the conversation by the small fast model; it is asked once a turn. */
  rewritesQuery?(input: { config: Config }): boolean;
  /** What people read while it works; safe identifiers only. Without it: “calling {tool}”. */
  status?(input: { config: Config }): string | readonly string[];
  run(input: ContextInput<Config>): Promise<ToolResult>;
}

/** What calling a function changes: nothing; something, but twice is as good as once; or something that must happen once. */
export type Effect = 'none' | 'idempotent' | 'once';

/** What a tool in function mode is given for one call. */
export interface FunctionInput<Config, Arguments> {
  readonly config: Config;
  /** What the model sent, validated by `input`. */
  readonly arguments: Arguments;
  /** The same for every attempt at this call; for outside services that can recognise a repetition. */
  readonly idempotencyKey: string;
  readonly host: ToolHost;
  readonly signal: AbortSignal;
}

/** How the model calls a tool. */
export interface FunctionMode<Config, Arguments> {
  /** What the model calls it; a tool that an assistant may use several times makes it from its configuration. */
  name(input: { config: Config }): string;
  /** What the model reads to decide whether to call it. */
  description(input: { config: Config }): string;
  readonly input: z.ZodType<Arguments>;
  /** `once` asks for approval unless the assistant's creator switched that off. */
  readonly effect: Effect;
  readonly timeoutMs?: number;
  run(input: FunctionInput<Config, Arguments>): Promise<ToolResult>;
}

/** A tool, declared once: its validation, types, JSON Schema, form and documentation all come from this. */
export interface Tool<
  Config extends Record<string, unknown> = Record<string, unknown>,
  Arguments extends Record<string, unknown> = Record<string, unknown>,
> {
  readonly name: string;
  readonly version: string;
  readonly category: 'knowledge' | 'rubric' | 'file' | 'assistant' | 'utility' | 'lms' | 'none';
  readonly title: string;
  readonly description: string;
  readonly config: z.ZodType<Config>;
  /** The text fields of `config` that may refer to other placeholders, such as `{rubric}`. */
  readonly templated?: readonly (keyof Config & string)[];
  /** The assistant it asks, for a tool that asks another one: the server checks, when it is saved and whenever it runs, that it may. */
  targetAssistant?(input: { config: Config }): number;
  readonly context?: ContextMode<Config>;
  readonly function?: FunctionMode<Config, Arguments>;
}

/** Declares a tool. */
export function defineTool<Config extends Record<string, unknown>, Arguments extends Record<string, unknown>>(
  tool: Tool<Config, Arguments>,
): Tool {
  return tool as Tool;
}
