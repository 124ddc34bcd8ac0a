import {
  AISDKError,
  type LanguageModelV4FinishReason,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { AppError } from '@lamb/contract';
import type { ModelEvent } from '@lamb/plugin-kit';
import { breakWith } from '../wire/break-with.ts';

/** Reads the parts of one AI SDK stream: what a part means for a tool call depends on those before it. */
export function createPartReader(
  apiKey: string | undefined,
): (part: LanguageModelV4StreamPart) => readonly ModelEvent[] {
  const callIds: string[] = [];

  function startCall(id: string, name: string): ModelEvent {
    callIds.push(id);
    return { type: 'tool_call', index: callIds.length - 1, id, name, arguments: '' };
  }

  return (part) => {
    switch (part.type) {
      case 'text-delta':
        return part.delta === '' ? [] : [{ type: 'text', text: part.delta }];
      case 'reasoning-delta':
        return part.delta === '' ? [] : [{ type: 'reasoning', text: part.delta }];
      case 'tool-input-start':
        return part.providerExecuted === true ? [] : [startCall(part.id, part.toolName)];
      case 'tool-input-delta': {
        const index = callIds.indexOf(part.id);
        return index === -1 || part.delta === '' ? [] : [{ type: 'tool_call', index, arguments: part.delta }];
      }
      case 'tool-call': {
        // Also sent as the sum of the pieces before it.
        if (part.providerExecuted === true || callIds.includes(part.toolCallId)) return [];
        return [{ ...startCall(part.toolCallId, part.toolName), arguments: part.input } as ModelEvent];
      }
      case 'finish':
        return [...toUsage(part.usage), { type: 'finish', reason: toReason(part.finishReason) }];
      case 'error':
        // The SDK's own errors quote what could not be parsed, which is not for the caller.
        throw AISDKError.isInstance(part.error)
          ? new AppError('provider_stream_broken')
          : breakWith(part.error, apiKey);
      default:
        return [];
    }
  };
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): readonly ModelEvent[] {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return [];
  return [{ type: 'usage', promptTokens: inputTokens.total, completionTokens: outputTokens.total }];
}

function toReason({ unified, raw }: LanguageModelV4FinishReason): string {
  switch (unified) {
    case 'length':
      return 'length';
    case 'content-filter':
      return 'content_filter';
    case 'tool-calls':
      return 'tool_calls';
    case 'error':
    case 'interrupted':
      throw new AppError('provider_stream_broken');
    case 'stop':
      return 'stop';
    case 'other':
      // What providers start with and keep when theirs never comes.
      if (raw === undefined) throw new AppError('provider_stream_broken');
      return 'stop';
  }
}
