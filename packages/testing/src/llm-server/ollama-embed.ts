import { countWords, embedText } from './embed-text.ts';
import { encodeOllamaError } from './ollama-chat.ts';
import { readArray, readObject, readString } from '../http/read-json.ts';
import type { WireFormat } from './wire-format.ts';

/** `POST /api/embed` */
export const ollamaEmbed: WireFormat = {
  toolCallIdPrefix: '',
  acceptsKey: () => true,
  findMistake: (body) => (readString(readObject(body).model) === undefined ? 'model is required' : undefined),
  wantsStream: () => false,
  encodeWhole(reply, request) {
    const { model, input, dimensions } = readObject(request.body);
    const inputs = typeof input === 'string' ? [input] : readArray(input).map(String);
    const size = reply.dimensions ?? (typeof dimensions === 'number' ? dimensions : 768);
    return {
      model,
      embeddings: inputs.map((text) => [...embedText(text, size)]),
      total_duration: 5_000_000,
      load_duration: 1_000_000,
      prompt_eval_count: inputs.reduce((sum, text) => sum + countWords(text), 0),
    };
  },
  encodeError: encodeOllamaError,
};
