import { expect, test } from 'vitest';
import { spawnLlmServer } from './spawn-llm-server.ts';

test('runs as a process that is scripted over HTTP', async () => {
  const server = await spawnLlmServer(['--tokens', '3']);
  try {
    const call = async (path: string, body?: unknown): Promise<unknown> => {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      return await (await fetch(server.url + path, init)).json();
    };
    const question = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
    await call('/__script', [{ text: 'scripted' }]);
    const first = await call('/v1/chat/completions', question);
    expect(first).toMatchObject({ choices: [{ message: { content: 'scripted' } }] });
    const second = await call('/v1/chat/completions', question);
    expect(second).toMatchObject({ choices: [{ message: { content: 't1 t2 t3' } }] });
    const embed = (input: string) => call('/v1/embeddings', { model: 'm', input, dimensions: 8 });
    expect(await embed('one text')).not.toEqual(await embed('another'));
    expect(await call('/__requests')).toMatchObject([{ body: question }, { path: '/v1/chat/completions' }, {}, {}]);
    await call('/__reset', {});
    expect(await call('/__requests')).toEqual([]);
  } finally {
    await server.stop();
  }
  expect(() => process.kill(server.pid, 0)).toThrow('ESRCH');
});
