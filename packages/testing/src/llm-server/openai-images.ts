import { makePng } from './make-png.ts';
import { encodeOpenAiError, findBearer } from './openai-error.ts';
import { readObject, readString } from '../http/read-json.ts';
import type { WireFormat } from './wire-format.ts';

/** `POST /v1/images/generations` */
export const openAiImages: WireFormat = {
  toolCallIdPrefix: '',
  acceptsKey: (request, key) => findBearer(request) === key,
  findMistake: (body) =>
    readString(readObject(body).prompt) === undefined ? "Missing required parameter: 'prompt'." : undefined,
  wantsStream: () => false,
  encodeWhole(reply, request) {
    const { n } = readObject(request.body);
    const count = reply.images ?? (typeof n === 'number' ? n : 1);
    const usage = reply.usage ?? { promptTokens: 0, completionTokens: 0 };
    return {
      created: Math.floor(Date.now() / 1000),
      background: 'opaque',
      data: Array.from({ length: count }, (_, index) => ({ b64_json: makePng(index).toString('base64') })),
      output_format: 'png',
      quality: 'low',
      size: '1024x1024',
      usage: {
        input_tokens: usage.promptTokens,
        input_tokens_details: { image_tokens: 0, text_tokens: usage.promptTokens },
        output_tokens: usage.completionTokens,
        total_tokens: usage.promptTokens + usage.completionTokens,
      },
    };
  },
  encodeError: encodeOpenAiError,
};
