export { addUsage } from './add-usage.ts';
export { createCatalogue, type Catalogue } from './catalogue.ts';
export { collectRun, type CollectedRun } from './collect-run.ts';
export { compilePlan, type AssistantSource } from './compile-plan.ts';
export { estimateUsage } from './estimate-usage.ts';
export type { Plan } from './plan.ts';
export { runTurn } from './run-turn.ts';
export type { HostScope, OpenModel, TurnPorts, TurnRequest } from './turn-ports.ts';
