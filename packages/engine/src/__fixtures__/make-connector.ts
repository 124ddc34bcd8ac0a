import type { Connector, ModelCall, ModelEvent } from '@lamb/plugin-kit';

/** What a scripted connector does after it was called. */
export type ConnectorScript = (call: ModelCall) => AsyncIterable<readonly ModelEvent[]>;

/** A connector that remembers what it was asked, and plays its script. */
export interface RecordingConnector extends Connector {
  readonly calls: ModelCall[];
}

/** Makes a connector that answers “Hello” unless it is given another script. */
export function makeConnector(script: ConnectorScript = sayHello): RecordingConnector {
  const calls: ModelCall[] = [];
  return {
    name: 'scripted',
    title: 'Scripted',
    description: 'Plays a script.',
    requires: [],
    needsProvider: false,
    calls,
    stream(call) {
      calls.push(call);
      return script(call);
    },
  };
}

/** A script that delivers the given batches and ends. */
export function deliver(...batches: readonly (readonly ModelEvent[])[]): ConnectorScript {
  // eslint-disable-next-line @typescript-eslint/require-await -- a connector is asynchronous even when its script is not
  return async function* () {
    yield* batches;
  };
}

function sayHello(call: ModelCall): AsyncIterable<readonly ModelEvent[]> {
  return deliver([{ type: 'text', text: 'Hello' }], [{ type: 'finish', reason: 'stop' }])(call);
}
