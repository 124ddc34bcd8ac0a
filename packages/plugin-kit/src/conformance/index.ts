export { createTestHost } from './create-test-host.ts';
export { describeTool } from './describe-tool.ts';
export { describeConnector } from './describe-connector.ts';
export { connectorCases } from './connector-cases.ts';
export type { ConnectorStage, RunningStage, StagedRequest, WireRequest } from './connector-stage.ts';
