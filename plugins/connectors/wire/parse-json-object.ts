import { AppError } from '@lamb/contract';

/** Parses one piece of a provider's answer; anything but a JSON object breaks the stream. */
export function parseJsonObject(text: string): object {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new AppError('provider_stream_broken', { cause });
  }
  if (typeof parsed !== 'object' || parsed === null) throw new AppError('provider_stream_broken');
  return parsed;
}
