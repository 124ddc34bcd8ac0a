import type { ParseArgsOptionsConfig } from 'node:util';
import type { ServerClient } from './create-server-client.ts';

/** Where a command writes. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

type Value = string | boolean | (string | boolean)[] | undefined;

/** What a command works with. */
export interface CommandContext {
  readonly server: ServerClient;
  /** What stands after the command's name. */
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, Value>>;
  /** Whether the result is for a program. */
  readonly json: boolean;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly signal: AbortSignal;
}

/** One command of `lamb`. */
export interface Command {
  /** As it is typed: `kb create`. */
  readonly name: string;
  readonly summary: string;
  /** What follows the name. */
  readonly usage: string;
  /** How many words it takes at least and at most. */
  readonly words: readonly [least: number, most: number];
  readonly options: ParseArgsOptionsConfig;
  /** One line for each of its own options. */
  readonly help: readonly string[];
  run(context: CommandContext): Promise<void>;
}
