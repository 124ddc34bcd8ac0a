import type { LanguageModelV4 } from '@ai-sdk/provider';
import { AppError } from '@lamb/contract';
import {
  defineConnector,
  type Connector,
  type ModelCall,
  type ModelEvent,
  type ProviderSettings,
} from '@lamb/plugin-kit';
import { createPartReader } from './create-part-reader.ts';
import { toAiSdkOptions } from './to-ai-sdk-options.ts';
import { toAiSdkPrompt } from './to-ai-sdk-prompt.ts';
import { toAppError } from './to-app-error.ts';

/** What makes a connector of an AI SDK provider. */
export interface AiSdkConnectorOptions extends Pick<Connector, 'name' | 'title' | 'description' | 'requires'> {
  /** The model of that name, reached with these settings and no others: the packages fall back to the environment. */
  createModel(settings: ProviderSettings, model: string): LanguageModelV4;
}

/** Makes a connector of any provider of the AI SDK. It costs about twice the CPU of a connector that speaks the wire itself. */
export function createAiSdkConnector({ createModel, ...description }: AiSdkConnectorOptions): Connector {
  return defineConnector({
    ...description,
    needsProvider: true,
    stream: (call) => streamModel(call, createModel),
  });
}

async function* streamModel(
  call: ModelCall,
  createModel: AiSdkConnectorOptions['createModel'],
): AsyncGenerator<readonly ModelEvent[], void> {
  const { settings, signal } = call;
  signal.throwIfAborted();
  const read = createPartReader(settings.apiKey);
  let answering = false;
  try {
    const model = createModel(settings, call.model);
    const supported = await model.supportedUrls;
    const { stream } = await model.doStream({
      ...toAiSdkOptions(call.sampling, call.tools),
      prompt: toAiSdkPrompt(call.messages, (url) => fetchesImage(supported, url)),
      abortSignal: signal,
    });
    answering = true;
    for await (const part of stream) {
      const events = read(part);
      if (events.length === 0) continue;
      yield events;
      if (events.at(-1)?.type === 'finish') return;
    }
    throw new AppError('provider_stream_broken');
  } catch (error) {
    signal.throwIfAborted();
    throw toAppError(error, { answering, apiKey: settings.apiKey });
  }
}

function fetchesImage(supported: Record<string, RegExp[]>, url: string): boolean {
  const patterns = ['*/*', 'image/*'].flatMap((mediaType) => supported[mediaType] ?? []);
  return patterns.some((pattern) => pattern.test(url));
}
