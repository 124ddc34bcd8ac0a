import { crc32, deflateSync } from 'node:zlib';

/** A real PNG of 8 × 8 pixels in one colour that depends on `seed`. */
export function makePng(seed = 0): Buffer {
  const side = 8;
  const colour = [(seed * 83 + 40) % 256, (seed * 47 + 120) % 256, (seed * 29 + 200) % 256];
  const row = Buffer.from([0, ...Array.from({ length: side }, () => colour).flat()]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    encodeBlock('IHDR', header),
    encodeBlock('IDAT', deflateSync(Buffer.concat(Array.from({ length: side }, () => row)))),
    encodeBlock('IEND', Buffer.alloc(0)),
  ]);
}

function encodeBlock(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const block = Buffer.alloc(body.length + 8);
  block.writeUInt32BE(data.length, 0);
  block.set(body, 4);
  block.writeUInt32BE(crc32(body), body.length + 4);
  return block;
}
