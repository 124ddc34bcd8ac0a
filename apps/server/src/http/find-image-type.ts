const types: readonly (readonly [type: string, starts: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).toString('latin1') === '\xff\xd8\xff'],
  ['image/gif', (bytes) => /^GIF8[79]a$/.test(bytes.subarray(0, 6).toString('latin1'))],
  ['image/webp', (bytes) => /^RIFF.{4}WEBP$/s.test(bytes.subarray(0, 12).toString('latin1'))],
];

/** Which kind of picture the bytes are; undefined for everything that could be more than pixels. */
export function findImageType(bytes: Buffer): string | undefined {
  return types.find(([, starts]) => starts(bytes))?.[0];
}
