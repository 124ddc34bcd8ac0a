import type { Principal, Role } from '@lamb/contract';

/** What a decision about an assistant needs to know. */
export interface AssistantStanding {
  readonly id: number;
  readonly isOwner: boolean;
  readonly isShared: boolean;
  readonly isPublished: boolean;
}

/** What a decision about anything else needs to know. */
export interface OwnedStanding {
  readonly isOwner: boolean;
  readonly isPublic: boolean;
  /** Of a run: the key that it was started with. */
  readonly startedWith?: string | undefined;
}

type Standing = AssistantStanding | OwnedStanding;

interface Rule<Resource extends Standing | undefined> {
  readonly roles: readonly Role[];
  readonly when?: (principal: Principal, resource: NonNullable<Resource>) => boolean;
}

const everyone: readonly Role[] = ['owner', 'admin', 'member', 'end_user'];
const creators: readonly Role[] = ['owner', 'admin', 'member'];
const admins: readonly Role[] = ['owner', 'admin'];

const isAdmin = (principal: Principal) => admins.includes(principal.role);
const inScope = ({ assistants }: Principal, { id }: AssistantStanding) =>
  assistants === 'all' || assistants.includes(id);

const mayUse = (principal: Principal, assistant: AssistantStanding) =>
  inScope(principal, assistant) &&
  (assistant.isOwner || assistant.isShared || assistant.isPublished || isAdmin(principal));
const mayRead = (principal: Principal, assistant: AssistantStanding) =>
  inScope(principal, assistant) && (assistant.isOwner || assistant.isShared || isAdmin(principal));
const mayEdit = (principal: Principal, assistant: AssistantStanding) =>
  inScope(principal, assistant) && (assistant.isOwner || isAdmin(principal));

const isOwn = (_principal: Principal, resource: OwnedStanding) => resource.isOwner;
const isPublic = (_principal: Principal, resource: OwnedStanding) => resource.isPublic;
/** A key that is limited to some assistants opens what was started with it, and nothing else of its holder's. */
const isOwnRun = ({ assistants, keyId }: Principal, { isOwner, startedWith }: OwnedStanding) =>
  isOwner && (assistants === 'all' || (keyId !== undefined && keyId === startedWith));
const isOwnOrPublic = (_principal: Principal, resource: OwnedStanding) => resource.isOwner || resource.isPublic;

const assistant = (
  roles: readonly Role[],
  when: Rule<AssistantStanding>['when'] & object,
): Rule<AssistantStanding> => ({
  roles,
  when,
});
const owned = (roles: readonly Role[], when: Rule<OwnedStanding>['when'] & object): Rule<OwnedStanding> => ({
  roles,
  when,
});
const anything = (roles: readonly Role[]): Rule<undefined> => ({ roles });

const rules = {
  'me.read': anything(everyone),
  'me.edit': anything(everyone),
  'model.list': anything(everyone),
  'catalogue.read': anything(creators),
  'assistant.list': anything(everyone),
  'assistant.create': anything(creators),
  'assistant.use': assistant(everyone, mayUse),
  'assistant.read': assistant(creators, mayRead),
  'assistant.edit': assistant(creators, mayEdit),
  'assistant.share': assistant(creators, mayEdit),
  'assistant.publish': assistant(creators, mayEdit),
  'trace.read': assistant(creators, mayEdit),
  // One's own workspace with it; nobody can name anybody else's.
  'workspace.use': assistant(everyone, mayUse),
  'run.read': owned(everyone, isOwnRun),
  'run.control': owned(everyone, isOwnRun),
  'chat.list': anything(everyone),
  'chat.create': anything(everyone),
  'chat.read': owned(everyone, isOwn),
  'chat.edit': owned(everyone, isOwn),
  'rubric.list': anything(creators),
  'rubric.create': anything(creators),
  'rubric.read': owned(creators, isOwnOrPublic),
  'rubric.edit': owned(creators, isOwn),
  'rubric.showcase': owned(admins, isPublic),
  'file.list': anything(creators),
  'file.create': anything(creators),
  // Also what an assistant made for them.
  'file.read': owned(everyone, isOwn),
  'file.edit': owned(creators, isOwn),
  'collection.list': anything(creators),
  'collection.create': anything(creators),
  // To whom it is shared, and in an organisation whose creators may all search it, it is as good as public.
  'collection.read': owned(creators, isOwnOrPublic),
  'collection.query': owned(creators, isOwnOrPublic),
  'collection.edit': owned(creators, isOwn),
  'collection.share': owned(creators, isOwn),
  // One's own, or one that an assistant has cited.
  'passage.read': owned(everyone, isOwnOrPublic),
  'key.list': anything(everyone),
  'key.create': anything(everyone),
  'key.create_gateway': anything(admins),
  'key.revoke': owned(everyone, isOwn),
  'key.oversee': anything(admins),
  'organization.list': anything(everyone),
  'organization.configure': anything(admins),
  'member.list': anything(admins),
  'member.edit': anything(admins),
  'member.invite': anything(admins),
  'usage.read': anything(admins),
  'budget.configure': anything(admins),
  'audit.read': anything(admins),
} as const;

/** Everything that somebody may be allowed to do. */
export type Action = keyof typeof rules;

/** What `decide` must be told about the resource of an action. */
export type ResourceOf<A extends Action> = (typeof rules)[A] extends Rule<infer Resource> ? Resource : never;

/** What a key that is limited to some assistants opens; on an assistant, only if it is one of those. */
const forLimitedKeys: ReadonlySet<Action> = new Set<Action>([
  'me.read',
  'model.list',
  'assistant.list',
  'assistant.use',
  'assistant.read',
  'assistant.edit',
  'assistant.share',
  'assistant.publish',
  'trace.read',
  'workspace.use',
  'run.read',
  'run.control',
]);

/** Whether the principal could be allowed this at all, on some resource: what a route checks before it loads anything. */
export function mayEver(principal: Principal, action: Action): boolean {
  if (principal.assistants !== 'all' && !forLimitedKeys.has(action)) return false;
  return rules[action].roles.includes(principal.role);
}

/** The one policy function: whether the principal may do this to this resource. */
export function decide<A extends Action>(principal: Principal, action: A, resource: ResourceOf<A>): boolean {
  if (!mayEver(principal, action)) return false;
  const rule = rules[action] as Rule<Standing | undefined>;
  if (!rule.when) return true;
  return resource !== undefined && rule.when(principal, resource);
}
