import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type InputType, type ZlibOptions } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { OutboundLimitError } from './outbound-limit-error.ts';

type Decode = (content: InputType, options: Pick<ZlibOptions, 'maxOutputLength'>) => Promise<Buffer<ArrayBuffer>>;

const decoders: ReadonlyMap<string, Decode> = new Map([
  ['gzip', promisify<InputType, ZlibOptions, Buffer<ArrayBuffer>>(gunzip)],
  ['x-gzip', promisify<InputType, ZlibOptions, Buffer<ArrayBuffer>>(gunzip)],
  ['deflate', promisify<InputType, ZlibOptions, Buffer<ArrayBuffer>>(inflate)],
  ['br', promisify<InputType, Pick<ZlibOptions, 'maxOutputLength'>, Buffer<ArrayBuffer>>(brotliDecompress)],
]);

/** The whole decoded body of a reply; one that is larger than allowed, before or after decompression, is cut off. */
export async function readLimitedBody(
  { headers, body }: Pick<Dispatcher.ResponseData, 'headers' | 'body'>,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the body, and with it the connection.
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  const content = Buffer.concat(chunks);
  const encoding = [headers['content-encoding'] ?? []].flat().join(', ').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity' || content.length === 0) return content;
  const decode = decoders.get(encoding);
  if (!decode) throw new Error('The reply is compressed in a way that was not asked for.');
  try {
    return await decode(content, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(maxBytes);
    throw new Error('The reply could not be decompressed.', { cause: error });
  }
}

function tooLarge(maxBytes: number): OutboundLimitError {
  return new OutboundLimitError('bytes', `The reply is larger than ${String(maxBytes)} bytes.`);
}
