import { parseJson } from '../http/parse-json.ts';
import { readArray, readObject, readString } from '../http/read-json.ts';
import { answerJobRequest } from './answer-job-request.ts';
import type { KbCollection, KbFile, KbHit, KbStore } from './create-kb-store.ts';
import type { KbAnswer, KbRequest } from './kb-exchange.ts';

/** Whether hits are called `results`, or `documents` as older servers do. */
export type HitsKey = 'results' | 'documents';

/** The knowledge-base server's routes, without sockets, tokens and faults. */
export async function answerKbRequest(store: KbStore, request: KbRequest, hitsKey: HitsKey): Promise<KbAnswer> {
  const [room, rawId, action, ...rest] = request.path.split('/').slice(1);
  const operation = `${request.method} ${action ?? ''}`.trim();
  if (room === 'ingestion-jobs') return answerJobRequest(store, request, request.path.split('/').slice(2));
  if (room === 'collections' && action === 'ingestion-jobs') {
    const collection = store.collections.get(Number(rawId));
    if (collection === undefined) return notFound(`Collection with ID ${rawId ?? ''} not found`);
    return answerJobRequest(store, request, rest, collection);
  }
  if (rest.length > 0) return notFound('Not Found');
  if (room === 'health') return ok({ status: 'ok', version: 'scripted' });
  if (room === 'collections' && rawId === undefined) {
    if (request.method === 'POST') return createCollection(store, request);
    const all = [...store.collections.values()];
    const skip = Number(request.query.get('skip') ?? 0);
    const items = all.slice(skip, skip + Number(request.query.get('limit') ?? 100)).map(describeCollection);
    return ok({ total: all.length, items });
  }
  if (room === 'collections') {
    const collection = store.collections.get(Number(rawId));
    if (collection === undefined) return notFound(`Collection with ID ${rawId ?? ''} not found`);
    return await answerForCollection(store, collection, operation, request, hitsKey);
  }
  if (room === 'files' && operation === 'GET content') {
    const file = store.files.get(Number(rawId));
    if (file === undefined) return notFound(`File with ID ${rawId ?? ''} not found`);
    return ok({
      file_id: file.id,
      original_filename: file.filename,
      content: file.text,
      content_type: file.contentType,
      chunk_count: file.chunkCount,
      timestamp: file.createdAt,
    });
  }
  return notFound('Not Found');
}

async function answerForCollection(
  store: KbStore,
  collection: KbCollection,
  operation: string,
  request: KbRequest,
  hitsKey: HitsKey,
): Promise<KbAnswer> {
  if (operation === 'GET') return ok(describeCollection(collection));
  if (operation === 'DELETE') {
    store.removeCollection(collection.id);
    return ok({ id: collection.id, name: collection.name, status: 'deleted' });
  }
  if (operation === 'GET files') {
    const status = request.query.get('status');
    const files = [...store.files.values()].filter(
      (file) => file.collectionId === collection.id && (status === null || file.status === status),
    );
    return ok(files.map((file) => describeFile(file, request.origin)));
  }
  if (operation === 'POST documents') return addDocuments(store, collection, request);
  if (operation === 'POST ingest-file') return await ingestFile(store, collection, request);
  if (operation === 'POST ingest-url') return await ingestUrls(store, collection, request);
  if (operation === 'POST query') return queryCollection(store, collection, request, hitsKey);
  return notFound('Not Found');
}

function createCollection(store: KbStore, request: KbRequest): KbAnswer {
  const { name, description, owner } = readObject(parseJson(request.body.toString()));
  if (typeof name !== 'string' || name === '') return invalid('name', 'Field required');
  if ([...store.collections.values()].some((each) => each.name === name && each.owner === (owner ?? ''))) {
    return { status: 409, body: { detail: `Collection '${name}' already exists` } };
  }
  const collection = store.addCollection(name, {
    description: readString(description) ?? '',
    owner: readString(owner) ?? '',
  });
  return { status: 201, body: describeCollection(collection) };
}

function addDocuments(store: KbStore, collection: KbCollection, request: KbRequest): KbAnswer {
  const documents = readArray(readObject(parseJson(request.body.toString())).documents).map((each) => ({
    text: readString(readObject(each).text) ?? '',
    metadata: readObject(readObject(each).metadata),
  }));
  if (documents.length === 0) return invalid('documents', 'Field required');
  store.addDocuments(collection, documents);
  return ok({
    collection_id: collection.id,
    collection_name: collection.name,
    documents_added: documents.length,
    success: true,
  });
}

async function ingestFile(store: KbStore, collection: KbCollection, request: KbRequest): Promise<KbAnswer> {
  const headers = { 'content-type': request.contentType };
  let form: FormData;
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- slow for large uploads, which no test has
    form = await new Response(new Uint8Array(request.body), { headers }).formData();
  } catch {
    return invalid('file', 'The body is not multipart/form-data');
  }
  const file = form.get('file');
  if (!(file instanceof File)) return invalid('file', 'Field required');
  const params = readObject(parseJson(readString(form.get('plugin_params')) ?? '{}'));
  const chunkSize = params.chunk_size;
  const stored = store.addFile(
    collection,
    {
      filename: file.name,
      text: await file.text(),
      contentType: file.type,
      pluginName: readString(form.get('plugin_name')) ?? 'simple_ingest',
      chunkSize: typeof chunkSize === 'number' && chunkSize > 0 ? chunkSize : 1000,
    },
    (fileId) => linkFile(fileId, request.origin),
  );
  return ok(describeAdded(collection, [stored], request.origin));
}

async function ingestUrls(store: KbStore, collection: KbCollection, request: KbRequest): Promise<KbAnswer> {
  const { urls, plugin_name: pluginName } = readObject(parseJson(request.body.toString()));
  const addresses = readArray(urls).filter((url) => typeof url === 'string' && /^https?:/.test(url)) as string[];
  if (addresses.length === 0) return invalid('urls', 'Field required');
  const files = await Promise.all(
    addresses.map(async (sourceUrl) => {
      const page = await fetch(sourceUrl);
      return store.addFile(
        collection,
        {
          filename: new URL(sourceUrl).pathname.split('/').at(-1) ?? '',
          text: (await page.text()).replace(/<[^>]*>/g, ' '),
          contentType: page.headers.get('content-type') ?? '',
          pluginName: readString(pluginName) ?? 'url_ingest',
          chunkSize: 1000,
          sourceUrl,
        },
        (fileId) => linkFile(fileId, request.origin),
      );
    }),
  );
  return ok(describeAdded(collection, files, request.origin));
}

function queryCollection(store: KbStore, collection: KbCollection, request: KbRequest, hitsKey: HitsKey): KbAnswer {
  const plugin = request.query.get('plugin_name') ?? 'simple_query';
  if (plugin !== 'simple_query') return notFound(`Query plugin '${plugin}' not found`);
  const { query_text: text, top_k: topK = 5, threshold = 0 } = readObject(parseJson(request.body.toString()));
  if (typeof text !== 'string') return invalid('query_text', 'Field required');
  if (typeof topK !== 'number' || typeof threshold !== 'number') return invalid('top_k', 'Input should be a number');
  const started = performance.now();
  const hits: KbHit[] = store.query(collection, text, topK, threshold);
  const seconds = (performance.now() - started) / 1000;
  return ok({
    [hitsKey]: hits,
    count: hits.length,
    timing: { total_seconds: seconds, total_ms: seconds * 1000 },
    query: text,
  });
}

function describeCollection(collection: KbCollection) {
  return {
    id: collection.id,
    name: collection.name,
    description: collection.description,
    owner: collection.owner,
    visibility: 'private',
    creation_date: collection.createdAt,
    embeddings_model: { vendor: 'scripted', model: 'term-overlap' },
    document_count: collection.documents.length,
  };
}

function describeAdded(collection: KbCollection, files: KbFile[], origin: string) {
  const [first] = files;
  return {
    collection_id: collection.id,
    collection_name: collection.name,
    documents_added: files.reduce((sum, { chunkCount }) => sum + chunkCount, 0),
    success: true,
    file_registry_id: first?.id,
    file_registry_ids: files.map(({ id }) => id),
    file_url: linkFile(first?.id ?? 0, origin),
    original_filename: first?.filename,
    plugin_name: first?.pluginName,
    status: 'processing',
  };
}

function describeFile(file: KbFile, origin: string) {
  return {
    id: file.id,
    collection_id: file.collectionId,
    original_filename: file.filename,
    file_url: linkFile(file.id, origin),
    file_size: Buffer.byteLength(file.text),
    content_type: file.contentType,
    plugin_name: file.pluginName,
    source_url: file.sourceUrl ?? null,
    status: file.status,
    document_count: file.chunkCount,
    created_at: file.createdAt,
    updated_at: file.createdAt,
  };
}

function linkFile(fileId: number, origin: string): string {
  return `${origin}/files/${fileId}/content`;
}

function ok(body: unknown): KbAnswer {
  return { status: 200, body };
}

function notFound(detail: string): KbAnswer {
  return { status: 404, body: { detail } };
}

function invalid(field: string, message: string): KbAnswer {
  return { status: 422, body: { detail: [{ type: 'value_error', loc: ['body', field], msg: message }] } };
}
