import type { ToolHost } from '../tool-host.ts';

/** What a tool's test tells the conformance suite about the tool. */
export interface ToolExamples {
  /** Configurations that must be accepted; the first one is used for the runs. */
  readonly validConfigs: readonly [unknown, ...unknown[]];
  /** Configurations that must be refused, each with the path that the error must name, such as `collections.0`. */
  readonly invalidConfigs: readonly { readonly config: unknown; readonly path: string }[];
  /** A host on which every valid configuration succeeds. */
  readonly host: ToolHost;
  /** What the model may send to the tool's function; left out by one that takes nothing. */
  readonly validArguments?: readonly [unknown, ...unknown[]];
  /** What the function must refuse, each with the path that the error must name. */
  readonly invalidArguments?: readonly { readonly arguments: unknown; readonly path: string }[];
  /** What the person asks in the runs. */
  readonly query?: string;
}

/** One rule that every tool keeps. */
export interface ToolCase {
  readonly name: string;
  run(): Promise<void> | void;
}
