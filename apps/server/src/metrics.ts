import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** Makes the figures that operators watch. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: 'lamb_http_request_seconds',
      help: 'Time to answer, by route and status.',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: [0.005, 0.02, 0.05, 0.1, 0.5, 2, 10, 60],
      registers,
    }),
    openTurns: new Gauge({ name: 'lamb_open_turns', help: 'Turns that are being answered now.', registers }),
    turns: new Counter({
      name: 'lamb_turns_total',
      help: 'Turns by how they ended.',
      labelNames: ['connector', 'outcome'] as const,
      registers,
    }),
    tokens: new Counter({
      name: 'lamb_tokens_total',
      help: 'Tokens by direction.',
      labelNames: ['connector', 'direction'] as const,
      registers,
    }),
    tools: new Histogram({
      name: 'lamb_tool_seconds',
      help: 'Time of context tools, by outcome.',
      labelNames: ['tool', 'outcome'] as const,
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
