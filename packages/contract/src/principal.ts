import { z } from 'zod';

/** What a person is in an organisation. `end_user` may use published assistants and nothing else. */
export const Role = z.enum(['owner', 'admin', 'member', 'end_user']);
export type Role = z.infer<typeof Role>;

/** The person in front of the screen, where that is not the holder of the credential. */
export interface EndUser {
  readonly id: string;
  readonly email?: string | undefined;
  /** Whether somebody other than the person themselves vouches that the address is theirs. */
  readonly emailConfirmed?: boolean | undefined;
  readonly name?: string | undefined;
  readonly lmsUserId?: string | undefined;
}

/** Who is asking: resolved once from a credential, then passed explicitly to everything that reads data or has an effect. */
export interface Principal {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly organizationId: string;
  readonly role: Role;
  readonly systemAdmin: boolean;
  readonly via: 'session' | 'api_key';
  readonly keyId?: string | undefined;
  /** The assistants this credential may talk to; a key can be narrower than its holder. */
  readonly assistants: 'all' | readonly number[];
  /** Resolved by the server; never taken from a request body or a model. */
  readonly endUser: EndUser;
}
