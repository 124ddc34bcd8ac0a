import type { ConnectorFeature, ConnectorStage, RunningStage } from './connector-stage.ts';

/** One rule that every connector with these features keeps. */
export interface ConnectorCase {
  readonly name: string;
  readonly needs: readonly ConnectorFeature[];
  run(stage: RunningStage, description: ConnectorStage): Promise<void>;
}
