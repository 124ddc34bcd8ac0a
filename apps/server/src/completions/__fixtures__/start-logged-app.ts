import { pino } from 'pino';
import { createApp } from '../../app.ts';
import type { TestServer } from '../../test-server/start-test-server.ts';

export interface LoggedApp {
  readonly url: string;
  /** Everything the application logged, at the finest level and without redaction. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

/** Opens a second door to the same services whose log can be read. */
export async function startLoggedApp({ services }: Pick<TestServer, 'services'>): Promise<LoggedApp> {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
  const app = await createApp({ ...services, log });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, lines, close: () => app.close() };
}
