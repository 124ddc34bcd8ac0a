import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startLlmServer } from '@lamb/testing';
import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { createFetch } from './create-fetch.ts';

test('a redirect is not followed, so the key goes nowhere else', async () => {
  const elsewhere = await startLlmServer();
  const redirecting = createServer((_request, response) => {
    response.writeHead(307, { location: `${elsewhere.url}/v1/messages` }).end();
  }).listen(0, '127.0.0.1');
  await once(redirecting, 'listening');
  const { port } = redirecting.address() as AddressInfo;
  const dispatcher = new Agent();

  const response = await createFetch(dispatcher)(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'x-api-key': 'secret' },
    body: '{}',
  });

  expect(response.status).toBe(307);
  expect(elsewhere.requests).toEqual([]);
  await dispatcher.destroy();
  redirecting.close();
  await elsewhere.stop();
});
