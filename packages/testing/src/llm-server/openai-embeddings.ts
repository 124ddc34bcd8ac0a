import { countWords, embedText } from './embed-text.ts';
import { encodeOpenAiError, findBearer } from './openai-error.ts';
import { readArray, readObject, readString } from '../http/read-json.ts';
import type { WireFormat } from './wire-format.ts';

/** `POST /v1/embeddings` */
export const openAiEmbeddings: WireFormat = {
  toolCallIdPrefix: '',
  acceptsKey: (request, key) => findBearer(request) === key,
  findMistake(body) {
    if (readString(readObject(body).model) === undefined) return 'you must provide a model parameter';
    return listInputs(readObject(body).input).length === 0 ? "Missing required parameter: 'input'." : undefined;
  },
  wantsStream: () => false,
  encodeWhole(reply, request) {
    const { model, input, dimensions, encoding_format: format } = readObject(request.body);
    const native = String(model).endsWith('text-embedding-3-large') ? 3072 : 1536;
    const size = reply.dimensions ?? (typeof dimensions === 'number' ? dimensions : native);
    const inputs = listInputs(input);
    const words = inputs.reduce((sum, text) => sum + countWords(text), 0);
    return {
      object: 'list',
      data: inputs.map((text, index) => {
        const vector = embedText(text, size);
        return { object: 'embedding', index, embedding: format === 'base64' ? encodeBase64(vector) : [...vector] };
      }),
      model,
      usage: { prompt_tokens: words, total_tokens: words },
    };
  },
  encodeError: encodeOpenAiError,
};

/** Text, texts, or the same as token numbers. */
function listInputs(input: unknown): string[] {
  if (typeof input === 'string') return input === '' ? [] : [input];
  const list = readArray(input);
  if (list.length > 0 && list.every((each) => typeof each === 'number')) return [list.join(' ')];
  return list.map((each) => (typeof each === 'string' ? each : readArray(each).join(' ')));
}

function encodeBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}
