import { AppError, type CompletionBody } from '@lamb/contract';
import { collectRun } from '@lamb/engine';
import type { AssistantAccess, TenantTx } from '@lamb/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createOpenAiEncoder } from '../http/encode-openai-stream.ts';
import { followClient } from '../http/follow-client.ts';
import { streamEvents } from '../http/stream-events.ts';
import type { Services } from '../services.ts';
import { toModelName } from './find-model.ts';
import { startTurn } from './start-turn.ts';
import { toChatCompletion } from './to-chat-completion.ts';
import { toTurnRequest } from './to-turn-request.ts';

/** Runs one turn and answers as OpenAI would: as a stream of chunks, or as one reply. */
export async function answerCompletion(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  body: CompletionBody,
  find: (tx: TenantTx) => Promise<AssistantAccess | undefined>,
): Promise<FastifyReply> {
  const signal = followClient(reply);
  const turn = await startTurn(services, request.principal, find, toTurnRequest(body), signal);
  const model = toModelName(turn.assistantId);
  const created = Math.floor(Date.now() / 1000);
  if (body.stream !== true) {
    const run = await collectRun(turn.events);
    return reply.send(toChatCompletion(run, model, created));
  }
  const encode = createOpenAiEncoder({
    model,
    created,
    requestId: request.id,
    includeUsage: body.stream_options?.include_usage === true,
    status: body.lamb?.status ?? 'events',
  });
  await streamEvents(reply, turn.events, encode);
  if (!reply.sent) throw new AppError('client_closed_request');
  return reply;
}
