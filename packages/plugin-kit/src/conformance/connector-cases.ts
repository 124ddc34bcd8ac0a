import { connectorAnswerCases } from './connector-answer-cases.ts';
import type { ConnectorCase } from './connector-case.ts';
import { connectorClosingCases } from './connector-closing-cases.ts';
import { connectorFailureCases } from './connector-failure-cases.ts';
import { connectorRequestCases } from './connector-request-cases.ts';
import type { ConnectorStage } from './connector-stage.ts';

/** The rules of `describeConnector` that apply to a connector, one by one, so that a test can plant a violation of each. */
export function connectorCases({ features }: Pick<ConnectorStage, 'features'>): ConnectorCase[] {
  const all = [...connectorAnswerCases, ...connectorRequestCases, ...connectorFailureCases, ...connectorClosingCases];
  return all.filter(({ needs }) => needs.every((feature) => features.includes(feature)));
}
