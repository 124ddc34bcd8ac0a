export { addUsage } from './add-usage.ts';
export { createCatalogue, type Catalogue } from './catalogue.ts';
export { collectRun, type CollectedRun } from './collect-run.ts';
export { compilePlan, type AssistantSource } from './compile-plan.ts';
export { countPromptChars } from './count-prompt-chars.ts';
export { estimateUsage } from './estimate-usage.ts';
export { createEventSequence, type EventBody, type NumberEvent } from './event-sequence.ts';
export { executeTurn, type TurnEnd } from './execute-turn.ts';
export { limitAnswer } from './limit-answer.ts';
export type { Plan } from './plan.ts';
export { runTurn } from './run-turn.ts';
export { TurnDeadlinePassed } from './turn-deadline-passed.ts';
export type {
  CallEstimate,
  HostScope,
  ModelCallEnd,
  OpenModel,
  Reservation,
  RunBudget,
  RunStep,
  StepScope,
  TurnPorts,
  TurnRequest,
} from './turn-ports.ts';
