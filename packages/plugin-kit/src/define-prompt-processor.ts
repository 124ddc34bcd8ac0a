import type { ChatMessage, EndUser } from '@lamb/contract';

/** What a prompt processor is given when it rewrites the question for retrieval. */
export interface ShapeQueryInput {
  readonly messages: readonly ChatMessage[];
  readonly userInput: string;
  /** Asks the organisation's small fast model; undefined when none is configured. */
  readonly askSmallModel: ((messages: readonly ChatMessage[], signal: AbortSignal) => Promise<string>) | undefined;
  readonly signal: AbortSignal;
}

/** How the conversation and the gathered context become the prompt. The engine fills the template; a processor adds to that. */
export interface PromptProcessor {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly title: string;
  readonly description: string;
  /** The placeholders it fills by itself. */
  readonly placeholders?: readonly string[];
  /** The values of those placeholders. */
  values?(input: { endUser: EndUser }): Readonly<Record<string, string>>;
  /** Rewrites the question that context tools search with. A failure falls back to the last message. */
  shapeQuery?(input: ShapeQueryInput): Promise<string>;
}

/** Declares a prompt processor. */
export function definePromptProcessor(processor: PromptProcessor): PromptProcessor {
  return processor;
}
