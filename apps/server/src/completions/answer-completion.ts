import { AppError, type CompletionBody, type RunEvent } from '@lamb/contract';
import { collectRun, type CollectedRun, type Plan } from '@lamb/engine';
import type { AssistantAccess, TenantTx } from '@lamb/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createOpenAiEncoder } from '../http/encode-openai-stream.ts';
import { followClient } from '../http/follow-client.ts';
import { streamEvents } from '../http/stream-events.ts';
import { readRun } from '../runs/read-run.ts';
import { startRun } from '../runs/start-run.ts';
import { toRunResource } from '../runs/to-run-resource.ts';
import type { Services } from '../services.ts';
import { toModelName } from './find-model.ts';
import { loadTurn } from './load-turn.ts';
import { skipRepeatedText } from './skip-repeated-text.ts';
import { startTurn } from './start-turn.ts';
import { toChatCompletion } from './to-chat-completion.ts';
import { toTurnRequest } from './to-turn-request.ts';

/**
 * Runs one turn and answers as OpenAI would: as a stream of chunks, or as one reply. One that waits for a person's approval
 * is answered with its run instead.
 */
export async function answerCompletion(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  body: CompletionBody,
  find: (tx: TenantTx) => Promise<AssistantAccess | undefined>,
): Promise<FastifyReply> {
  const signal = followClient(reply);
  const { principal } = request;
  const loaded = await loadTurn(services, principal, find);
  const turn = toTurnRequest(body);
  if (body.lamb?.background === true) {
    const run = await startRun(services, principal, loaded, turn);
    return reply.code(202).send(toRunResource(run));
  }
  const model = toModelName(loaded.assistant.id);
  const created = Math.floor(Date.now() / 1000);
  const run = isToolUsing(loaded.plan) ? await startRun(services, principal, loaded, turn) : undefined;
  // A durable run is followed for as long as the client stays, and goes on without it.
  const events = run ? readRun(services, run, 0, signal) : startTurn(services, principal, loaded, turn, signal);
  if (body.stream !== true) {
    if (!run) return reply.send(toChatCompletion(await collectRun(events), model, created));
    const collected = await collectUnlessItWaits(events);
    if (collected) return reply.send(toChatCompletion(collected, model, created));
    return reply.code(202).send(toRunResource({ ...run, status: 'waiting' }));
  }
  const encode = createOpenAiEncoder({
    model,
    created,
    requestId: request.id,
    includeUsage: body.stream_options?.include_usage === true,
    status: body.lamb?.status ?? 'events',
  });
  await streamEvents(reply, run ? skipRepeatedText(events) : events, encode);
  if (!reply.sent) throw new AppError('client_closed_request');
  return reply;
}

/** An assistant whose model may call something: its turns have effects, so they are finished whatever happens. */
function isToolUsing({ functions }: Plan): boolean {
  return functions.length > 0;
}

class ApprovalAwaited extends Error {}

/** Reads a turn to its end, or up to where it waits for a person: they may take days, which no request should. */
async function collectUnlessItWaits(events: AsyncIterable<RunEvent>): Promise<CollectedRun | undefined> {
  try {
    return await collectRun(untilApproval(events));
  } catch (error) {
    if (error instanceof ApprovalAwaited) return undefined;
    throw error;
  }
}

async function* untilApproval(events: AsyncIterable<RunEvent>): AsyncGenerator<RunEvent> {
  for await (const event of events) {
    if (event.type === 'call.approval_required') throw new ApprovalAwaited();
    yield event;
  }
}
