import { describeConnector, type StagedRequest, type WireRequest } from '@lamb/plugin-kit/conformance';
import { startStage } from '../wire/__fixtures__/start-stage.ts';
import { createBananaImgConnector } from './banana-img.ts';

interface GeminiBody {
  systemInstruction?: { parts: { text: string }[] };
  contents: { role: string; parts: { text?: string; inlineData?: { mimeType: string; data: string } }[] }[];
  generationConfig: Record<string, unknown>;
}

const names = {
  temperature: 'temperature',
  topP: 'top_p',
  maxOutputTokens: 'max_tokens',
  stopSequences: 'stop',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
} as const;

describeConnector({
  name: 'banana_img',
  features: ['provider', 'images'],
  sampling: Object.values(names),
  readRequest,
  start: () => startStage(createBananaImgConnector, ''),
});

function readRequest({ path, body }: StagedRequest): WireRequest {
  const { systemInstruction, contents, generationConfig } = body as GeminiBody;
  const question = contents.findLast(({ role }) => role === 'user')?.parts ?? [];
  return {
    model: /models\/(.*):generateContent$/u.exec(path)?.[1] ?? '',
    system: (systemInstruction?.parts ?? []).map(({ text }) => text).join(''),
    question: question.map(({ text = '' }) => text).join(''),
    images: question.flatMap(({ inlineData: image }) =>
      image === undefined ? [] : [`data:${image.mimeType};base64,${image.data}`],
    ),
    sampling: Object.fromEntries(
      Object.entries(names).flatMap(([wire, ours]) =>
        wire in generationConfig ? [[ours, generationConfig[wire]]] : [],
      ),
    ),
    functions: [],
    calls: [],
  };
}
