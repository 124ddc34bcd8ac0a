import { send } from '../../routes/__fixtures__/send.ts';
import type { Person, Reply, TestServer } from '../../test-server/start-test-server.ts';

/** A way in, as the headers that open it. */
export interface Door {
  readonly name: 'bearer key' | 'session cookie';
  readonly headers: Readonly<Record<string, string>>;
}

/** Signs in with e-mail and password, as a browser on our own page would. */
export async function signIn(
  lamb: TestServer,
  { email, password }: Pick<Person, 'email' | 'password'>,
): Promise<{ reply: Reply; headers: { cookie: string; origin: string } }> {
  const { origin } = new URL(lamb.services.config.publicUrl);
  const reply = await send(lamb, 'POST', '/api/auth/sign-in/email', {
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password }),
  });
  const cookie = reply.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  return { reply, headers: { cookie, origin } };
}

/** Every way in that a person has. */
export async function openDoors(lamb: TestServer, person: Person): Promise<Door[]> {
  const { reply, headers } = await signIn(lamb, person);
  if (reply.status !== 200) throw new Error(`${person.email} could not sign in: ${reply.text}`);
  return [
    { name: 'bearer key', headers: { authorization: `Bearer ${person.key}` } },
    { name: 'session cookie', headers },
  ];
}
