import { constants, deflateRawSync } from 'node:zlib';

/** A deflated stream of `head`, then this many megabytes of blanks, made without ever having them in memory. */
export function makeBomb(head: string, megabytes: number): Buffer {
  const flush = { finishFlush: constants.Z_FULL_FLUSH };
  const blanks = deflateRawSync(Buffer.alloc(1024 * 1024, ' '), flush);
  const end = Buffer.from([0x03, 0x00]);
  return Buffer.concat([
    deflateRawSync(Buffer.from(head), flush),
    ...Array.from({ length: megabytes }, () => blanks),
    end,
  ]);
}
