import { Sampling } from '@lamb/contract';
import type { ModelCall } from '@lamb/plugin-kit';

const samplingNames = Object.keys(Sampling.shape) as readonly (keyof Sampling)[];

/** The body of a chat completion request: everything as it came, what was not given left out. */
export function toOpenAiRequest({ model, messages, sampling, tools }: ModelCall): Record<string, unknown> {
  const given = samplingNames.map((name) => [name, sampling[name]] as const).filter(([, value]) => isGiven(value));
  return {
    model,
    messages,
    ...(Object.fromEntries(given) as Sampling),
    ...(tools === undefined || tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
