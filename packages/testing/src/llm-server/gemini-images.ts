import { makePng } from './make-png.ts';
import { readArray, readObject } from '../http/read-json.ts';
import type { WireFormat } from './wire-format.ts';

/** `POST /v1beta/models/{model}:generateContent` */
export const geminiImages: WireFormat = {
  toolCallIdPrefix: '',
  acceptsKey: (request, key) => request.headers['x-goog-api-key'] === key || request.query.key === key,
  findMistake: (body) =>
    readArray(readObject(body).contents).length === 0
      ? '* GenerateContentRequest.contents: contents is not specified'
      : undefined,
  wantsStream: () => false,

  encodeWhole(reply, request, serial) {
    const text = reply.wroteText ? reply.chunks.join('') : '';
    const images = Array.from({ length: reply.images ?? (text === '' ? 1 : 0) }, (_, index) => ({
      inlineData: { mimeType: 'image/png', data: makePng(index).toString('base64') },
    }));
    const reasons = { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' };
    const { promptTokens, completionTokens } = reply.usage ?? { promptTokens: 0, completionTokens: 0 };
    return {
      candidates: [
        {
          content: { parts: [...(text === '' ? [] : [{ text }]), ...images], role: 'model' },
          ...(reply.finishReason === null ? {} : { finishReason: reasons[reply.finishReason] }),
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: promptTokens,
        candidatesTokenCount: completionTokens,
        totalTokenCount: promptTokens + completionTokens,
      },
      modelVersion: /models\/(.+):generateContent$/.exec(request.path)?.[1] ?? '',
      responseId: `scripted-${serial}`,
    };
  },

  encodeError(error) {
    const names: Record<number, string> = {
      400: 'INVALID_ARGUMENT',
      401: 'UNAUTHENTICATED',
      404: 'NOT_FOUND',
      429: 'RESOURCE_EXHAUSTED',
      500: 'INTERNAL',
      503: 'UNAVAILABLE',
    };
    return {
      error: { code: error.status, message: error.message, status: error.type ?? names[error.status] ?? 'UNKNOWN' },
    };
  },
};
