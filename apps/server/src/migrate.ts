import { migrate } from '@lamb/store';
import { z } from 'zod';

const { LAMB_OWNER_DATABASE_URL: ownerUrl } = z
  .object({
    LAMB_OWNER_DATABASE_URL: z.string({ error: 'Set LAMB_OWNER_DATABASE_URL: the database as the role lamb_owner.' }),
  })
  .parse(process.env);
const applied = await migrate(ownerUrl);
process.stdout.write(applied.length === 0 ? 'The database is up to date.\n' : `Applied: ${applied.join(', ')}\n`);
