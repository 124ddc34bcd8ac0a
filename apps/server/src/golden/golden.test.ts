import { convertMetadata, messageText, readMetadata, type AssistantMetadata, type ChatMessage } from '@lamb/contract';
import { collectRun, compilePlan, createCatalogue, runTurn } from '@lamb/engine';
import type { Connector, KnowledgeHit, ToolHost } from '@lamb/plugin-kit';
import { createTestHost } from '@lamb/plugin-kit/conformance';
import { contextAwareAugment } from '@lamb/prompt-processors/context-aware-augment';
import { moodleAugment } from '@lamb/prompt-processors/moodle-augment';
import { multiAugment } from '@lamb/prompt-processors/multi-augment';
import { simpleAugment } from '@lamb/prompt-processors/simple-augment';
import { noRag } from '@lamb/tools/no-rag';
import { rubricRag } from '@lamb/tools/rubric-rag';
import { simpleRag } from '@lamb/tools/simple-rag';
import { singleFileRag } from '@lamb/tools/single-file-rag';
import { describe, expect, it } from 'vitest';
import { readGoldenCases, type GoldenCase, type GoldenPassage } from './read-golden-cases.ts';

function recordMessages(): { connector: Connector; sent: (readonly ChatMessage[])[] } {
  const sent: (readonly ChatMessage[])[] = [];
  const connector: Connector = {
    name: 'openai',
    title: 'Recording',
    description: 'Remembers the messages that a model would have been sent.',
    requires: [],
    needsProvider: false,
    // eslint-disable-next-line @typescript-eslint/require-await -- the interface is asynchronous, this answer is at hand
    async *stream({ messages }) {
      sent.push(messages);
      yield [{ type: 'finish', reason: 'stop' }];
    },
  };
  return { connector, sent };
}

function openHost({ knowledge, rubrics, files }: GoldenCase): { host: ToolHost; searched: string[] } {
  const searched: string[] = [];
  const host = createTestHost({
    knowledge: {
      query({ collections, query }) {
        const hits: KnowledgeHit[] = [];
        const problems: { collection: string; message: string }[] = [];
        for (const collection of collections) {
          searched.push(`${collection}: ${query}`);
          const passages = knowledge[collection] ?? [];
          if (passages === 'down') problems.push({ collection, message: 'The knowledge base does not answer.' });
          else hits.push(...passages.map((passage) => toHit(collection, passage)));
        }
        return Promise.resolve({
          hits: hits.toSorted((a, b) => (b.similarity ?? 0) - (a.similarity ?? 0)),
          problems,
        });
      },
    },
    rubrics: { get: (id) => Promise.resolve(rubrics[id]) },
    files: {
      read(path, { maxChars }) {
        const text = files[path];
        return Promise.resolve(
          text === undefined ? undefined : { text: text.slice(0, maxChars), truncated: text.length > maxChars },
        );
      },
    },
  });
  return { host, searched };
}

function toHit(collection: string, { url, page, ...passage }: GoldenPassage): KnowledgeHit {
  return {
    collection,
    ...passage,
    ...(url === undefined ? {} : { url }),
    ...(page === undefined ? {} : { page }),
  };
}

function askSmallModel(answer: string): Promise<string> {
  return answer === 'down' ? Promise.reject(new Error('The small model is down.')) : Promise.resolve(answer);
}

async function runCase(golden: GoldenCase, change = (metadata: AssistantMetadata) => metadata) {
  const { assistant, end_user: endUser, messages, small_model: smallModel } = golden;
  const { connector, sent } = recordMessages();
  const { host, searched } = openHost(golden);
  const read = readMetadata(JSON.stringify(assistant.metadata), {
    ragCollections: assistant.rag_collections,
    ragTopK: assistant.rag_top_k,
  });
  const metadata = change(read.metadata);
  const catalogue = createCatalogue({
    tools: [simpleRag, rubricRag, singleFileRag, noRag],
    connectors: [connector],
    promptProcessors: [simpleAugment, multiAugment, moodleAugment, contextAwareAugment],
  });
  const { plan } = compilePlan(
    { id: 1, systemPrompt: assistant.system_prompt, promptTemplate: assistant.prompt_template, metadata },
    catalogue,
  );
  const run = await collectRun(
    runTurn(
      plan,
      { messages, sampling: {} },
      {
        runId: 'golden',
        endUser: {
          id: endUser.id,
          ...(endUser.email === undefined ? {} : { email: endUser.email }),
          ...(endUser.lmsUserId === undefined ? {} : { lmsUserId: endUser.lmsUserId }),
        },
        openHost: () => host,
        model: { connector, model: metadata.llm, settings: {} },
        budget: {
          reserve: () => Promise.resolve({ id: undefined, startedAt: 0 }),
          settle: () => Promise.resolve(),
        },
        askSmallModel: smallModel === undefined ? undefined : () => askSmallModel(smallModel),
        countTokens: (texts) => Promise.resolve(texts.map((text) => text.length)),
        recordTrace: () => undefined,
        reportError: (error) => expect.unreachable(String(error)),
        authorizeCall: () => Promise.resolve(undefined),
        reportRefusal: () => Promise.resolve(),
        approve: undefined,
        now: () => 0,
        signal: new AbortController().signal,
      },
    ),
  );
  return { sent, searched, problems: run.problems.map(({ tool, code, message }) => `${tool} ${code}: ${message}`) };
}

describe.each([
  'classic-simple-augment',
  'classic-multi-augment',
  'classic-moodle-augment',
  'classic-context-aware-augment',
  'multi-tool',
])('%s', (file) => {
  it.each(readGoldenCases(file).map((golden) => [golden.case, golden] as const))('%s', async (_case, golden) => {
    const { sent, searched, problems } = await runCase(golden);
    expect(sent).toEqual([golden.expect.messages]);
    expect(searched).toEqual(golden.expect.searched);
    expect(problems).toEqual(golden.expect.problems);
  });
});

/** A prompt without what only classic assistants send: the list of sources, and braces that nothing fills. */
function leaveOutClassic(messages: readonly unknown[], { assistant, messages: said }: GoldenCase): unknown[] {
  const kept = new Set(['user_input', 'context', 'moodle_user']);
  const braces = [...assistant.prompt_template.matchAll(/\{([a-z][a-z0-9_]*)\}/g)].filter(
    ([, name = '']) => !kept.has(name),
  );
  const lastUser = said.findLast(({ role }) => role === 'user');
  const userText = lastUser ? messageText(lastUser) : '';
  const withoutBraces = (text: string) => braces.reduce((rest, [brace]) => rest.replaceAll(brace, ''), text);
  const strip = (text: string) =>
    text
      .replace(/\n\n## Available Sources(\n\d+\. .*)+/, '')
      .split(userText)
      .map(withoutBraces)
      .join(userText);
  const isLast = (index: number) =>
    index === messages.length - (said.length - said.findLastIndex(({ role }) => role === 'user'));
  return messages.map((message, index) =>
    isLast(index)
      ? (JSON.parse(JSON.stringify(message), (key: string, value: unknown) =>
          (key === 'content' || key === 'text') && typeof value === 'string' ? strip(value) : value,
        ) as unknown)
      : message,
  );
}

describe('a classic assistant that was converted', () => {
  const classic = ['simple', 'multi', 'moodle', 'context-aware'].flatMap((name) =>
    readGoldenCases(`classic-${name}-augment`),
  );
  it.each(classic.map((golden) => [golden.case, golden] as const))('%s', async (_case, golden) => {
    const { sent, searched, problems } = await runCase(golden, convertMetadata);
    expect(sent).toEqual([leaveOutClassic(golden.expect.messages, golden)]);
    expect(searched).toEqual(golden.expect.searched);
    expect(problems).toEqual(golden.expect.problems);
  });
});
