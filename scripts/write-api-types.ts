import openapiTS, { astToString } from 'openapi-typescript';
import { writeFile } from 'node:fs/promises';
import { createApp } from '../apps/server/src/app.ts';
import { compose } from '../apps/server/src/compose.ts';
import { readConfig } from '../apps/server/src/config.ts';

/** Writes the types of the server's interface for the web app. Nothing is listened on and no database is asked. */
const services = compose(
  readConfig({
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    LAMB_AUTH_SECRET: 'not used, because nobody signs in here',
    LAMB_SECRET_KEYS: `none:${Buffer.alloc(32).toString('base64')}`,
    LAMB_LOG_LEVEL: 'silent',
  }),
);
const app = await createApp(services);
await app.ready();
const types = astToString(await openapiTS(JSON.stringify(app.swagger())));
const target = new URL('../apps/web/src/lib/api/schema.d.ts', import.meta.url);
await writeFile(target, `// Written by scripts/write-api-types.ts from the server's routes.\n\n${types}`);
await app.close();
await services.close();
