import { Rubric } from '@lamb/contract';
import { ToolFailure, type ToolHost } from '@lamb/plugin-kit';
import { getFileByPath, getRubric, readFileContent, readTenant } from '@lamb/store';
import { createResilientFetch } from '../resilience/create-resilient-fetch.ts';
import type { Services } from '../services.ts';
import { createModelDoor } from './create-model-door.ts';
import { createMoodleDoor } from './create-moodle-door.ts';
import { fetchPublic } from './fetch-public.ts';
import { generateImage } from './generate-image.ts';
import type { HostContext } from './host-context.ts';
import { openWorkspace } from './open-workspace.ts';
import { queryKbCollections } from './query-kb-collections.ts';
import { queryOwnCollections } from './query-own-collections.ts';

/** No character takes more bytes than this in UTF-8. */
const MAX_BYTES_PER_CHAR = 4;

/** What an assistant's tools may do: with its owner's grants, checked at the moment of use. */
export function createToolHost(services: Services, context: HostContext): ToolHost {
  const { db, outboundFetch, resilience } = services;
  const { assistant, setup, run } = context;
  const { organizationId, ownerId } = assistant;
  const fetchFrom = (kind: 'kb' | 'moodle' | 'web') =>
    createResilientFetch(outboundFetch, resilience, { kind, connector: '', organizationId });
  return {
    knowledge: {
      async query({ collections, query, topK, threshold }, signal) {
        if (!setup.knowledgeServer) {
          const searcher = { organizationId, readerId: ownerId, payerId: run.principal.userId };
          return await queryOwnCollections(services, searcher, { collections, query, topK, threshold }, signal);
        }
        const { url: baseUrl, apiKey } = setup.knowledgeServer;
        return await queryKbCollections({
          baseUrl,
          apiKey,
          collections,
          query,
          topK,
          threshold,
          fetch: fetchFrom('kb'),
          signal,
        });
      },
    },
    rubrics: {
      async get(id) {
        const found = await readTenant(db, organizationId, (tx) => getRubric(tx, id));
        if (!found || !(found.ownerId === ownerId || found.isPublic)) return undefined;
        return Rubric.parse(found.data);
      },
    },
    files: {
      async read(path, { maxChars }) {
        return await readTenant(db, organizationId, async (tx) => {
          const file = await getFileByPath(tx, ownerId, path);
          if (!file) return undefined;
          const read = await readFileContent(tx, file.id, { maxBytes: maxChars * MAX_BYTES_PER_CHAR });
          if (!read) return undefined;
          const text = decodeText(read.content);
          // Half of a surrogate pair is no text, and not every provider survives it.
          const cut = text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '');
          return { text: cut, truncated: read.truncated || cut.length < text.length };
        });
      },
    },
    assistants: { run: (input, signal) => context.askAssistant(context, input, signal) },
    moodle: { courses: createMoodleDoor(setup.moodle, run, fetchFrom('moodle')) },
    model: { ask: createModelDoor(run, services) },
    images: { generate: (wanted, signal) => generateImage(wanted, context, services, signal) },
    workspace: openWorkspace(db, {
      principal: run.principal,
      assistantId: run.assistantId,
      call: `${run.runId}:${context.scope.callId}`,
    }),
    fetch: (url, signal) => fetchPublic(url, fetchFrom('web'), signal),
  };
}

function decodeText(bytes: Uint8Array): string {
  try {
    if (bytes.includes(0)) throw new TypeError('Text has no NUL.');
    // The end may be cut inside a character: `stream` keeps that piece back instead of calling it damage.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch (cause) {
    throw new ToolFailure('The file is not plain text in UTF-8. Save it as such and upload it again.', { cause });
  }
}
