import { Sampling, type ChatMessage, type CompletionBody } from '@lamb/contract';
import type { TurnRequest } from '@lamb/engine';

const samplingKeys = Object.keys(Sampling.shape) as (keyof Sampling)[];

/** What a client sent, as the engine takes it. */
export function toTurnRequest(body: CompletionBody): TurnRequest {
  const sampling: Record<string, unknown> = {};
  for (const key of samplingKeys) if (body[key] !== undefined && body[key] !== null) sampling[key] = body[key];
  return { messages: body.messages.map(demoteInstructions), sampling };
}

/** Only the assistant instructs the model: what a client sends as instructions is kept, as something the person said. */
function demoteInstructions(message: ChatMessage): ChatMessage {
  if (message.role !== 'system' && message.role !== 'developer') return message;
  return { ...message, role: 'user' };
}
