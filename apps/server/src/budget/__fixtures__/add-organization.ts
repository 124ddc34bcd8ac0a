import type { Role } from '@lamb/contract';
import { putOrganizationConfig, withTenant } from '@lamb/store';
import { randomUUID } from 'node:crypto';
import { createAccount } from '../../accounts/create-account.ts';
import { createOrganization } from '../../accounts/create-organization.ts';
import {
  makeKey,
  testOrganizationConfig,
  type Person,
  type TestOrganization,
  type TestServer,
} from '../../test-server/start-test-server.ts';

/** Adds an organisation that has used nothing yet. */
export async function addOrganization({ services, llm, kb }: TestServer): Promise<TestOrganization> {
  const slug = randomUUID();
  const organizationId = await createOrganization(services.db, { name: slug, slug });
  await withTenant(services.db, organizationId, (tx) =>
    putOrganizationConfig(tx, services.secretBox, testOrganizationConfig(llm, kb)),
  );
  const add = async (name: string, role: Role): Promise<Person> => {
    const account = { email: `${name}@${slug}.test`, name, password: 'correct horse battery' };
    const id = await createAccount(services, { ...account, organizationId, role });
    return { id, ...account, key: await makeKey(services, { userId: id, organizationId }) };
  };
  const [admin, teacher, colleague, student] = await Promise.all([
    add('admin', 'owner'),
    add('teacher', 'member'),
    add('colleague', 'member'),
    add('student', 'end_user'),
  ]);
  return { id: organizationId, admin, teacher, colleague, student };
}
