import { StringDecoder } from 'node:string_decoder';

/** Decodes UTF-8 that arrives in pieces cut anywhere, also inside a character. */
export function createUtf8Decoder(): (bytes: Buffer) => string {
  const decoder = new StringDecoder('utf8');
  let splitCharacter = false;
  return (bytes) => {
    const last = bytes.at(-1);
    if (last === undefined) return '';
    const endsInAscii = last < 0x80;
    // Nearly every piece ends with a line break, and the plain conversion is several times faster.
    if (endsInAscii && !splitCharacter) return bytes.toString('utf8');
    splitCharacter = !endsInAscii;
    return decoder.write(bytes);
  };
}
