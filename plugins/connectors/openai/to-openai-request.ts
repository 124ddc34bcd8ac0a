import { Sampling } from '@lamb/contract';
import type { ModelCall } from '@lamb/plugin-kit';

const samplingNames = Object.keys(Sampling.shape) as readonly (keyof Sampling)[];

/** The body of a chat completion request: everything as it came, what was not given left out. */
export function toOpenAiRequest({ settings, model, messages, sampling, tools }: ModelCall): Record<string, unknown> {
  const named = isOpenAi(settings.baseUrl) ? renameLimit(sampling) : sampling;
  const given = samplingNames.map((name) => [name, named[name]] as const).filter(([, value]) => isGiven(value));
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

/** Its reasoning models refuse `max_tokens`; others who speak its language often know nothing else. */
function renameLimit({ max_tokens: limit, ...sampling }: Sampling): Sampling {
  return isGiven(limit) ? { ...sampling, max_completion_tokens: sampling.max_completion_tokens ?? limit } : sampling;
}

function isOpenAi(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined) return true;
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return host === 'api.openai.com' || host.endsWith('.openai.azure.com');
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
