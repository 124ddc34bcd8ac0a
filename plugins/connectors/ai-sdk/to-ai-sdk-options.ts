import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { Sampling } from '@lamb/contract';
import type { FunctionSpec } from '@lamb/plugin-kit';

type Options = Omit<LanguageModelV4CallOptions, 'prompt' | 'abortSignal'>;

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** The sampling parameters and functions in the AI SDK's words, which have none for `logit_bias`. */
export function toAiSdkOptions(sampling: Sampling, tools: readonly FunctionSpec[] | undefined): Options {
  const { stop, response_format: format, reasoning_effort: effort } = sampling;
  const maxOutputTokens = sampling.max_completion_tokens ?? sampling.max_tokens;
  const reasoning = efforts.find((known) => known === effort);
  const responseFormat = toResponseFormat(format);
  return {
    ...given('maxOutputTokens', maxOutputTokens),
    ...given('temperature', sampling.temperature),
    ...given('topP', sampling.top_p),
    ...given('stopSequences', typeof stop === 'string' ? [stop] : stop),
    ...given('presencePenalty', sampling.presence_penalty),
    ...given('frequencyPenalty', sampling.frequency_penalty),
    ...given('seed', sampling.seed),
    ...given('reasoning', reasoning),
    ...given('responseFormat', responseFormat),
    ...(tools === undefined || tools.length === 0 ? {} : { tools: tools.map(toFunctionTool) }),
  };
}

function given<Name extends keyof Options>(name: Name, value: Options[Name] | null): Partial<Options> {
  return value === undefined || value === null ? {} : { [name]: value };
}

function toResponseFormat(format: Sampling['response_format']): Options['responseFormat'] {
  if (format?.type === 'json_object') return { type: 'json' };
  if (format?.type !== 'json_schema') return undefined;
  const described = format['json_schema'] as { schema?: JSONSchema7; name?: string; description?: string } | undefined;
  return { type: 'json', ...described };
}

function toFunctionTool({ name, description, parameters }: FunctionSpec): LanguageModelV4FunctionTool {
  return { type: 'function', name, description, inputSchema: parameters };
}
