import { readArray } from '../http/read-json.ts';
import { startFaultyServer, type FaultyServer } from '../http/start-faulty-server.ts';
import { answerMoodleRequest, fail } from './answer-moodle-request.ts';
import type { MoodleUser } from './moodle-user.ts';

export interface MoodleServerOptions {
  /** Default: a free one. */
  port?: number;
  /** The web-service token. Default: `moodle-token`. */
  token?: string;
  users?: MoodleUser[];
}

/** One call of a web-service function. */
export interface MoodleCall {
  function: string;
  /** Everything but the token, the function and the format. */
  parameters: Record<string, string>;
}

export interface MoodleServer extends FaultyServer {
  token: string;
  /** The functions that were called, in order. */
  calls: MoodleCall[];
  addUser(user: MoodleUser): void;
}

/** Starts the web-service endpoint of a Moodle site. A reset keeps its users. */
export async function startMoodleServer(options: MoodleServerOptions = {}): Promise<MoodleServer> {
  const token = options.token ?? 'moodle-token';
  const users = [...(options.users ?? [])];
  const calls: MoodleCall[] = [];
  const server = await startFaultyServer({
    port: options.port,
    describeError: (status) => fail(`Scripted error ${status}.`, 'scripted'),
    answer({ method, path, query, headers, body }) {
      if (path !== '/webservice/rest/server.php' || (method !== 'GET' && method !== 'POST')) {
        return { status: 404, body: fail('Not found', 'notfound') };
      }
      const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
      const parameters = new URLSearchParams([...query, ...new URLSearchParams(isForm ? body.toString() : '')]);
      const { wstoken, wsfunction = '', moodlewsrestformat, ...others } = Object.fromEntries(parameters);
      calls.push({ function: wsfunction, parameters: others });
      return { status: 200, body: answerMoodleRequest(users, token, parameters) };
    },
    control(path, body) {
      if (path !== '/__users') return undefined;
      users.push(...(readArray(body) as MoodleUser[]));
      return { status: 200, body: { users: users.length } };
    },
  });
  return {
    ...server,
    token,
    calls,
    addUser: (user) => void users.push(user),
    reset() {
      server.reset();
      calls.length = 0;
    },
  };
}
