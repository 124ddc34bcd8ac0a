import type { ToolProblem } from '@lamb/contract';
import type { PromptProcessor, Tool } from '@lamb/plugin-kit';
import type { PlannedFunction } from './plan-functions.ts';
import type { CallLimits } from './stop-conditions.ts';
import type { Template } from './template.ts';

/** What the one tool of a classic assistant fills. */
export const CLASSIC_PLACEHOLDER = 'context';

/** One context tool of a plan. A tool that cannot run stays in the plan with its problem, so that the turn can say so. */
export interface PlannedTool {
  readonly type: string;
  readonly placeholder: string;
  readonly timeoutMs: number;
  readonly fallback: string;
  /** As the creator wrote it, placeholders unfilled; what a trace may show. */
  readonly writtenConfig: Readonly<Record<string, unknown>>;
  readonly ready:
    | {
        readonly tool: Tool;
        readonly config: Readonly<Record<string, unknown>>;
        /** The fields of `config` that refer to placeholders, parsed. */
        readonly templates: ReadonlyMap<string, Template>;
      }
    | { readonly problem: ToolProblem };
}

/** An assistant, compiled: all that the engine needs to run a turn, and no way left to be malformed. */
export interface Plan {
  readonly assistantId: number;
  readonly kind: 'classic' | 'multi_tool';
  readonly systemPrompt: string;
  /** Undefined when the assistant has none: the person's message then goes to the model as it is. */
  readonly template: Template | undefined;
  /** A tool stands in a later level than those it refers to, and starts as soon as they are done. */
  readonly levels: readonly (readonly PlannedTool[])[];
  readonly processor: PromptProcessor;
  readonly connector: string;
  readonly model: string;
  readonly vision: boolean;
  readonly verbose: boolean;
  readonly deadlineMs: number;
  /** What the model may call. An assistant with any is a tool-using one. */
  readonly functions: readonly PlannedFunction[];
  readonly limits: CallLimits;
}
