import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createAccount } from './accounts/create-account.ts';
import { createOrganization } from './accounts/create-organization.ts';
import { compose } from './compose.ts';
import { readConfig } from './config.ts';

const usage = 'Usage: npm run add-organization -- --name NAME --slug SLUG --email EMAIL --admin-name NAME\n';
const { values } = parseArgs({
  options: {
    name: { type: 'string' },
    slug: { type: 'string' },
    email: { type: 'string' },
    'admin-name': { type: 'string' },
  },
});
const { name, slug, email, 'admin-name': adminName } = values;
if (name === undefined || slug === undefined || email === undefined || adminName === undefined) {
  process.stderr.write(usage);
  process.exit(2);
}
const services = compose(readConfig(process.env));
const password = randomBytes(12).toString('base64url');
const organizationId = await createOrganization(services.db, { name, slug });
await createAccount(services, { email, name: adminName, password, organizationId, role: 'owner' });
process.stdout.write(`“${name}” is there. ${email} signs in with this password: ${password}\n`);
await services.close();
