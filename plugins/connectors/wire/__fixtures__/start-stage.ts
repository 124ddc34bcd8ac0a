import type { Socket } from 'node:net';
import type { Connector } from '@lamb/plugin-kit';
import type { RunningStage } from '@lamb/plugin-kit/conformance';
import { startLlmServer } from '@lamb/testing';
import { Agent, buildConnector, type Dispatcher } from 'undici';

const apiKey = 'sk-canary-4f1c77e2-never-shown';

/** Puts a connector on a stage with the scripted LLM server, whose wire for it is below `basePath`. */
export async function startStage(
  createConnector: (outside: { dispatcher: Dispatcher }) => Connector,
  basePath: string,
): Promise<RunningStage> {
  const provider = await startLlmServer({ key: apiKey });
  const gone = await startLlmServer();
  await gone.stop();
  const agents: Agent[] = [];
  const sockets: Socket[] = [];

  function createAgent(timeoutMs: number | undefined): Agent {
    const connect = buildConnector({});
    const agent = new Agent({
      ...(timeoutMs === undefined ? {} : { headersTimeout: timeoutMs, bodyTimeout: timeoutMs }),
      connect(options, callback) {
        connect(options, (...outcome) => {
          const [error, socket] = outcome;
          if (error === null) sockets.push(socket);
          callback(...outcome);
        });
      },
    });
    agents.push(agent);
    return agent;
  }

  return {
    create: ({ timeoutMs } = {}) => createConnector({ dispatcher: createAgent(timeoutMs) }),
    settings: { baseUrl: provider.url + basePath, apiKey },
    unreachable: { baseUrl: gone.url + basePath, apiKey },
    provider,
    countReceivedBytes: () => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0),
    async stop() {
      await Promise.all(agents.map((agent) => agent.destroy()));
      await provider.stop();
    },
  };
}
