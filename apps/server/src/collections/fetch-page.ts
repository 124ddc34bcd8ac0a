import { AppError } from '@lamb/contract';
import type { OutboundFetch } from '../outbound/create-outbound-fetch.ts';
import { OutboundLimitError } from '../outbound/outbound-limit-error.ts';
import { OutboundRefusedError } from '../outbound/outbound-refused-error.ts';
import { TargetPaused } from '../resilience/target-paused.ts';
import { cleanFilename } from './clean-filename.ts';

/** A page of the web, as it was when it was fetched. */
export interface FetchedPage {
  readonly filename: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** Fetches a page or a file from a public address. What goes wrong is said to who gave the address. */
export async function fetchPage(
  url: string,
  fetch: OutboundFetch,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<FetchedPage> {
  const reply = await ask(url, fetch, maxBytes, signal);
  if (!reply.ok) throw refuse(`The page answered with status ${String(reply.status)}.`);
  const mediaType = reply.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const content = new Uint8Array(await reply.arrayBuffer());
  if (content.length === 0) throw refuse('The page is empty.');
  return { filename: nameOf(url, mediaType), mediaType: mediaType === '' ? 'text/html' : mediaType, content };
}

async function ask(url: string, fetch: OutboundFetch, maxBytes: number, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { signal, maxBytes, headers: { accept: 'text/html, application/pdf, text/*, */*;q=0.5' } });
  } catch (cause) {
    signal.throwIfAborted();
    throw refuse(describeFailure(cause), cause);
  }
}

function nameOf(url: string, mediaType: string): string {
  const { hostname, pathname } = new URL(url);
  const last = decodeStep(pathname.split('/').findLast((step) => step !== '') ?? hostname);
  const isPage = mediaType === 'text/html' || mediaType === '';
  return cleanFilename(isPage && !/\.[a-z]{2,5}$/i.test(last) ? `${last}.html` : last);
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function describeFailure(cause: unknown): string {
  if (cause instanceof OutboundRefusedError) return 'This address is not allowed: it is not a public one.';
  if (cause instanceof OutboundLimitError) {
    return cause.limit === 'time' ? 'The page did not answer in time.' : 'The page is too large.';
  }
  if (cause instanceof TargetPaused) return 'The site has failed repeatedly; try again in a minute.';
  return 'The page cannot be reached.';
}

function refuse(message: string, cause?: unknown): AppError {
  return new AppError('invalid_request', { message, details: { param: 'url' }, cause });
}
