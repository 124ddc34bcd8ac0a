import type { ServerResponse } from 'node:http';
import type { Pacer, PacedStream } from './create-pacer.ts';
import type { RecordedRequest } from './recorded-request.ts';
import type { Schedule } from './schedule-writes.ts';

export interface Pace {
  firstDelayMs: number;
  intervalMs: number;
}

/** Writes a schedule to a response whose headers `begin` sends when the first beat is due. */
export function playSchedule(
  schedule: Schedule,
  pace: Pace,
  pacer: Pacer,
  response: ServerResponse,
  request: RecordedRequest,
  begin: () => void,
): void {
  let position = 0;

  const sendBeat = (): boolean => {
    if (position === 0) begin();
    const beat = schedule.beats[position] ?? [];
    for (const bytes of beat) response.write(bytes);
    if (beat.length === 0) response.flushHeaders();
    position++;
    request.chunksSent = position;
    if (position < schedule.beats.length) return true;
    finish(schedule.ending, response);
    return false;
  };

  // Writes of one turn of the event loop would leave in one packet.
  const sendAll = (): void => {
    if (!response.destroyed && sendBeat()) setImmediate(sendAll);
  };

  if (pace.firstDelayMs === 0 && pace.intervalMs === 0) {
    sendAll();
    return;
  }
  const stream: PacedStream = {
    due: performance.now() + pace.firstDelayMs,
    send() {
      if (pace.intervalMs > 0) return sendBeat() ? stream.due + pace.intervalMs : undefined;
      sendAll();
      return undefined;
    },
  };
  pacer.add(stream);
  response.on('close', () => {
    pacer.remove(stream);
  });
}

function finish(ending: Schedule['ending'], response: ServerResponse): void {
  if (ending === 'end') response.end();
  // An empty write whose callback comes after the bytes before it have left.
  if (ending === 'cut') response.socket?.write('', () => response.socket?.destroy());
}
