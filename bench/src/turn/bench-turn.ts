import { spawnKbServer, spawnLlmServer } from '@lamb/testing';
import { Agent, request } from 'undici';
import { percentile } from '../load/percentile.ts';
import { startLamb } from '../load/start-lamb.ts';

const CONCURRENT = 50;
const TOOL_MS = 200;
const MODEL_MS = 500;

/** How much a turn with three context tools adds to its slowest tool and its model, measured against both called directly in the same run. */
export async function benchTurn({ isSmoke }: { isSmoke: boolean }): Promise<string> {
  const turns = isSmoke ? 100 : 1500;
  const llm = await spawnLlmServer(['--tokens', '50', '--first-delay-ms', String(MODEL_MS)]);
  const kb = await spawnKbServer();
  const kbHeaders = { authorization: 'Bearer kb-token', 'content-type': 'application/json' };
  const dispatcher = new Agent({ connections: CONCURRENT, pipelining: 1 });
  const post = async (url: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> => {
    const response = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      dispatcher,
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${String(response.statusCode)}: ${text}`);
    return JSON.parse(text);
  };
  const { id } = (await post(`${kb.url}/collections`, { name: 'bench' }, kbHeaders)) as { id: number };
  const documents = [{ text: 'A leaf is green because of chlorophyll.', metadata: { filename: 'a.md' } }];
  await post(`${kb.url}/collections/${String(id)}/documents`, { documents }, kbHeaders);
  await post(`${kb.url}/__fail`, { path: '/query', times: 'always', delayMs: TOOL_MS });
  const lamb = await startLamb({
    llmUrl: llm.url,
    kbUrl: kb.url,
    assistant: {
      template: '{context} {rubric} {file} {user_input}',
      tools: ({ rubricId, filePath }) => [
        { type: 'simple_rag', placeholder: 'context', config: { collections: [String(id)] } },
        { type: 'rubric_rag', placeholder: 'rubric', config: { rubric_id: rubricId } },
        { type: 'single_file_rag', placeholder: 'file', config: { file_path: filePath } },
      ],
    },
  });
  const messages = [{ role: 'user', content: 'Why is a leaf green?' }];
  const direct = async () => {
    await post(
      `${kb.url}/collections/${String(id)}/query`,
      { query_text: 'Why is a leaf green?', top_k: 3 },
      kbHeaders,
    );
    await post(`${llm.url}/v1/chat/completions`, { model: 'bench-model', messages });
  };
  const turn = async () => {
    await post(
      `${lamb.server.url}/v1/chat/completions`,
      { model: lamb.model, messages },
      { authorization: `Bearer ${lamb.key}` },
    );
  };
  try {
    await sample(turn, CONCURRENT * 4);
    const baseline = await sample(direct, turns);
    const measured = await sample(turn, turns);
    const base = percentile(baseline, 0.5);
    const [p50, p95] = [percentile(measured, 0.5) - base, percentile(measured, 0.95) - base];
    return [
      `concurrent=${String(CONCURRENT)} turns=${String(turns)} slowest_tool_plus_model_p50_ms=${base.toFixed(1)}`,
      `added_p50_ms=${p50.toFixed(1)} added_p95_ms=${p95.toFixed(1)}`,
    ].join('\n');
  } finally {
    await dispatcher.close();
    await Promise.all([lamb.stop(), llm.stop(), kb.stop()]);
  }
}

/** Keeps `CONCURRENT` calls under way until `count` are done; gives the time of each. */
async function sample(call: () => Promise<void>, count: number): Promise<number[]> {
  const times: number[] = [];
  let started = 0;
  await Promise.all(
    Array.from({ length: CONCURRENT }, async (_, index) => {
      // Spread over one turn, as people are; a herd in step would measure its own collisions.
      await new Promise((resolve) => setTimeout(resolve, ((TOOL_MS + MODEL_MS) * index) / CONCURRENT));
      while (started < count) {
        started += 1;
        const begin = performance.now();
        await call();
        times.push(performance.now() - begin);
      }
    }),
  );
  return times;
}
