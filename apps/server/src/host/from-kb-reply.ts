import type { KnowledgeHit } from '@lamb/plugin-kit';
import { z } from 'zod';

const optionalText = z.string().trim().min(1).optional().catch(undefined);

const Hit = z.object({
  similarity: z.number(),
  data: z.string(),
  metadata: z
    .object({
      filename: optionalText,
      source_url: optionalText,
      original_file_url: optionalText,
      file_url: optionalText,
      markdown_file_url: optionalText,
      page: z.coerce.number().int().min(1).optional().catch(undefined),
    })
    .nullish(),
});

/** Older servers call the hits `documents`. */
const Reply = z.union([
  z.object({ results: z.array(Hit) }).transform(({ results }) => results),
  z.object({ documents: z.array(Hit) }).transform(({ documents }) => documents),
]);

/** The passages in a knowledge-base server's reply, in its order, without a trace of where that server is; throws when it is no such reply. */
export function fromKbReply(reply: unknown, collection: string, baseUrl: string): KnowledgeHit[] {
  return Reply.parse(reply).map(({ similarity, data, metadata }) => {
    const url = metadata ? chooseUrl(metadata, baseUrl) : undefined;
    const { page } = metadata ?? {};
    const title = metadata?.filename ?? url?.split('/').findLast((step) => step !== '') ?? 'Untitled';
    return {
      collection,
      text: data,
      similarity,
      title,
      ...(url === undefined ? {} : { url }),
      ...(page === undefined ? {} : { page }),
    };
  });
}

/** Where a person can read on: the page a passage was taken from, or else the file on the server. */
function chooseUrl(metadata: NonNullable<z.infer<typeof Hit>['metadata']>, baseUrl: string): string | undefined {
  const source = readUrl(metadata.source_url, baseUrl);
  if (source) return source.origin === new URL(baseUrl).origin ? source.pathname : source.href;
  // Files are the server's own, also when it knows itself by an address that is not the one we use.
  const files = [metadata.original_file_url, metadata.file_url, metadata.markdown_file_url];
  const [file] = files.flatMap((text) => readUrl(text, baseUrl) ?? []);
  // What is asked of it, such as a passage and its signature, is a part of its address.
  return file && `${file.pathname}${file.search}`;
}

function readUrl(text: string | undefined, baseUrl: string): URL | undefined {
  const url = text === undefined ? null : URL.parse(text, baseUrl);
  const isSafe = url?.username === '' && url.password === '' && /^https?:$/.test(url.protocol);
  return url && isSafe ? url : undefined;
}
