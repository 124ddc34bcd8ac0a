import type { ServerResponse } from 'node:http';
import { sendJson } from '../http/send-json.ts';
import type { Pacer } from './create-pacer.ts';
import { fillReply } from './fill-reply.ts';
import type { LlmReply } from './llm-reply.ts';
import { playSchedule } from './play-schedule.ts';
import { readObject } from '../http/read-json.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { scheduleWrites, type Schedule } from './schedule-writes.ts';
import type { WireFormat } from './wire-format.ts';

export interface AnswerOptions {
  pacer: Pacer;
  key: string | undefined;
}

/** Answers one request in its provider's format, with the faults that the reply asks for. */
export function answerRequest(
  format: WireFormat,
  reply: LlmReply,
  request: RecordedRequest,
  response: ServerResponse,
  { pacer, key }: AnswerOptions,
): void {
  const faults = reply.faults ?? {};
  const refuse = (status: number, message: string, headers: Record<string, string> = {}): void => {
    sendJson(response, status, format.encodeError({ status, message, ...faults.error }), headers);
  };
  if (key !== undefined && !format.acceptsKey(request, key)) {
    refuse(401, 'Incorrect API key provided.');
    return;
  }
  const mistake = format.findMistake(request.body);
  if (mistake !== undefined) {
    refuse(400, mistake);
    return;
  }
  if (faults.hangBeforeHeaders === true) return;

  const pace = { firstDelayMs: reply.firstDelayMs ?? 0, intervalMs: reply.intervalMs ?? 0 };
  const play = ({ contentType, schedule, length }: Prepared): void => {
    if (schedule.ending === 'cut') request.cutByServer = true;
    playSchedule(schedule, pace, pacer, response, request, () => {
      response.writeHead(faults.status ?? 200, {
        'content-type': contentType,
        ...(length === undefined ? { 'cache-control': 'no-cache' } : { 'content-length': length }),
        ...(faults.retryAfterSeconds === undefined ? {} : { 'retry-after': String(faults.retryAfterSeconds) }),
      });
    });
  };
  const answer = (): void => {
    if (faults.status === undefined) {
      play(prepareAnswer(format, reply, request));
      return;
    }
    const error = { status: faults.status, message: `Scripted error ${faults.status}.`, ...faults.error };
    play(prepareWhole(format.encodeError(error), {}));
  };
  if (reply.after) void reply.after.then(answer);
  else answer();
}

interface Prepared {
  contentType: string;
  schedule: Schedule;
  /** For an answer in one piece. */
  length?: number;
}

const prebuilt = new WeakMap<LlmReply, Map<string, Prepared>>();

function prepareAnswer(format: WireFormat, reply: LlmReply, request: RecordedRequest): Prepared {
  // What is never streamed, such as vectors, is made from the text that was sent.
  if (reply.prebuilt !== true || format.encodeStream === undefined) return encodeAnswer(format, reply, request);
  const { model, stream, stream_options: streamOptions } = readObject(request.body);
  const kind = JSON.stringify([request.path, model, stream, streamOptions]);
  const known = prebuilt.get(reply) ?? new Map<string, Prepared>();
  prebuilt.set(reply, known);
  const prepared = known.get(kind) ?? encodeAnswer(format, reply, request);
  known.set(kind, prepared);
  return prepared;
}

function encodeAnswer(format: WireFormat, reply: LlmReply, request: RecordedRequest): Prepared {
  const faults = reply.faults ?? {};
  const filled = fillReply(reply, request.body, format.toolCallIdPrefix);
  if (format.encodeStream === undefined || !format.wantsStream(request.body)) {
    return prepareWhole(format.encodeWhole(filled, request, request.id), faults);
  }
  const stream = format.encodeStream(filled, request, request.id);
  const errorEvent =
    faults.errorAfterChunks === undefined
      ? undefined
      : format.encodeStreamError?.({ status: 500, message: 'Scripted error in mid-stream.', ...faults.error });
  return { contentType: stream.contentType, schedule: scheduleWrites(stream, faults, errorEvent) };
}

/** An answer in one piece: stopping after some chunks means stopping in the middle of it. */
function prepareWhole(body: unknown, faults: NonNullable<LlmReply['faults']>): Prepared {
  const whole = Buffer.from(JSON.stringify(body));
  const half = whole.subarray(0, Math.floor(whole.length / 2));
  const stops = faults.cutAfterChunks !== undefined || faults.hangAfterChunks !== undefined;
  const broken = faults.brokenJsonAtChunk !== undefined;
  const bytes = stops || broken ? half : whole;
  const step = faults.splitBytes ?? bytes.length;
  const pieces = Array.from({ length: Math.ceil(bytes.length / step) }, (_, index) =>
    bytes.subarray(index * step, (index + 1) * step),
  );
  return {
    contentType: 'application/json',
    schedule: {
      beats: [pieces],
      ending: faults.cutAfterChunks !== undefined ? 'cut' : stops ? 'hang' : 'end',
    },
    length: broken ? half.length : whole.length,
  };
}
