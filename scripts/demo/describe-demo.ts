import type { Demo } from './fill-demo.ts';

/** What a newcomer needs to try the demo. */
export function describeDemo(address: string, { accounts, classic, multiTool }: Demo): string {
  const width = Math.max(...accounts.map(({ email }) => email.length));
  const people = accounts.map(
    ({ email, password, role, organization, key }) =>
      `  ${email.padEnd(width)}  ${password}  ${role.padEnd(8)}  ${organization.padEnd(5)}  ${key}`,
  );
  const teacher = accounts.find(({ role }) => role === 'member');
  const student = accounts.find(({ role }) => role === 'end_user');
  const curl = (key: string | undefined, path: string, body?: unknown) =>
    body === undefined
      ? `curl -s ${address}${path} -H 'Authorization: Bearer ${key ?? ''}'`
      : `curl -sN ${address}${path} -H 'Authorization: Bearer ${key ?? ''}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const ask = (id: number, content: string, stream: boolean) => ({
    model: `lamb_assistant.${String(id)}`,
    stream,
    messages: [{ role: 'user', content }],
  });
  return `
LAMB is running: open ${address} in a browser.

Sign in as a teacher: ${teacher?.email ?? ''}  ${teacher?.password ?? ''}
     or as a student: ${student?.email ?? ''}  ${student?.password ?? ''}

API documentation: ${address}/docs

Accounts (e-mail, password, role, organisation, API key):
${people.join('\n')}

Or with curl:

1. What can this student talk to?
${curl(student?.key, '/v1/models')}

2. Ask the classic assistant.
${curl(student?.key, '/v1/chat/completions', ask(classic, 'What is photosynthesis?', false))}

3. Ask the multi-tool assistant, and watch its four tools work.
${curl(teacher?.key, '/v1/chat/completions', ask(multiTool, 'A leaf is green because chlorophyll reflects green light.', true))}

Stop with Ctrl-C.
`;
}
