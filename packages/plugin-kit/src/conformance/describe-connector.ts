import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { connectorCases } from './connector-cases.ts';
import type { ConnectorStage, RunningStage } from './connector-stage.ts';

/** Runs the rules that every connector keeps as tests; call it at the top of the connector's own test file. */
export function describeConnector(description: ConnectorStage): void {
  describe(`${description.name} keeps the rules of a connector`, () => {
    let stage: RunningStage;
    beforeAll(async () => {
      stage = await description.start();
    });
    afterAll(() => stage.stop());
    beforeEach(() => stage.provider.reset());

    for (const { name, run } of connectorCases(description)) test(name, () => run(stage, description));
  });
}
