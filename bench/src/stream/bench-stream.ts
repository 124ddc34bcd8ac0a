import { numberTokens, readCpuMicroseconds, spawnKbServer, spawnLlmServer, spawnServer } from '@lamb/testing';
import { percentile } from '../load/percentile.ts';
import { startLamb } from '../load/start-lamb.ts';
import { openStreams } from './open-streams.ts';

interface Settings {
  readonly streams: number;
  readonly chunksPerSecond: number;
  readonly seconds: number;
  readonly rounds: number;
}

const full: Settings = { streams: 200, chunksPerSecond: 50, seconds: 20, rounds: 3 };
const smoke: Settings = { streams: 20, chunksPerSecond: 50, seconds: 2, rounds: 1 };

/** CPU per streamed chunk of the whole server against a bare pipe of the same upstream, in turns within one run. */
export async function benchStream({ isSmoke }: { isSmoke: boolean }): Promise<string> {
  const settings = isSmoke ? smoke : full;
  const chunks = settings.chunksPerSecond * settings.seconds;
  const llm = await spawnLlmServer([
    '--tokens',
    String(chunks),
    '--interval-ms',
    String(1000 / settings.chunksPerSecond),
  ]);
  const kb = await spawnKbServer();
  const collection = await makeCollection(kb.url);
  const bare = await spawnServer(new URL('./bare-pipe.ts', import.meta.url), ['--upstream', llm.url]);
  const lamb = await startLamb({
    llmUrl: llm.url,
    kbUrl: kb.url,
    assistant: {
      template: '{context} {user_input}',
      tools: () => [{ type: 'simple_rag', placeholder: 'context', config: { collections: [collection] } }],
    },
  });
  try {
    const ask = { model: lamb.model, stream: true, messages: [{ role: 'user', content: 'What is a leaf?' }] };
    const measure = async (target: { url: string; pid: number }): Promise<number> => {
      const before = await readCpuMicroseconds(target.pid);
      await openStreams({
        url: `${target.url}/v1/chat/completions`,
        key: lamb.key,
        body: ask,
        streams: settings.streams,
        expected: numberTokens(chunks),
      });
      const used = (await readCpuMicroseconds(target.pid)) - before;
      return used / (settings.streams * chunks);
    };
    const results = { bare: [] as number[], lamb: [] as number[] };
    // The first round warms both up and does not count.
    for (let round = 0; round <= settings.rounds; round += 1) {
      const [bareCost, lambCost] = [await measure(bare), await measure(lamb.server)];
      if (round === 0) continue;
      results.bare.push(bareCost);
      results.lamb.push(lambCost);
    }
    const [bareMedian, lambMedian] = [percentile(results.bare, 0.5), percentile(results.lamb, 0.5)];
    return [
      `streams=${String(settings.streams)} chunks_per_second=${String(settings.chunksPerSecond)} seconds=${String(settings.seconds)}`,
      `bare_us_per_chunk=${bareMedian.toFixed(1)} lamb_us_per_chunk=${lambMedian.toFixed(1)}`,
      `ratio=${(lambMedian / bareMedian).toFixed(2)}`,
    ].join('\n');
  } finally {
    await Promise.all([lamb.stop(), bare.stop(), llm.stop(), kb.stop()]);
  }
}

async function makeCollection(kbUrl: string): Promise<string> {
  const headers = { authorization: 'Bearer kb-token', 'content-type': 'application/json' };
  const send = async (path: string, body: unknown) =>
    (await (await fetch(`${kbUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as {
      id: number;
    };
  const { id } = await send('/collections', { name: 'bench' });
  await send(`/collections/${String(id)}/documents`, {
    documents: [{ text: 'A leaf is green.', metadata: { filename: 'a.md' } }],
  });
  return String(id);
}
