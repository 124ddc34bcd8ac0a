import { Role, type Principal } from '@lamb/contract';
import { describe, expect, it } from 'vitest';
import { decide, mayEver, type Action, type AssistantStanding, type OwnedStanding, type ResourceOf } from './decide.ts';

const roles = Role.options;

function principal(role: Role, assistants: Principal['assistants'] = 'all'): Principal {
  const userId = '00000000-0000-4000-8000-000000000001';
  return {
    userId,
    email: 'somebody@example.org',
    name: 'Somebody',
    organizationId: '00000000-0000-4000-8000-000000000002',
    role,
    systemAdmin: false,
    via: 'api_key',
    assistants,
    endUser: { id: userId },
  };
}

type ActionOn<Standing> = {
  [A in Action]: ResourceOf<A> extends undefined ? never : ResourceOf<A> extends Standing ? A : never;
}[Action];
type BareAction = { [A in Action]: ResourceOf<A> extends undefined ? A : never }[Action];

/** Who may do what needs no resource. */
const bare: Record<BareAction, string> = {
  'me.read': 'owner admin member end_user',
  'me.edit': 'owner admin member end_user',
  'model.list': 'owner admin member end_user',
  'catalogue.read': 'owner admin member',
  'assistant.list': 'owner admin member end_user',
  'assistant.create': 'owner admin member',
  'chat.list': 'owner admin member end_user',
  'chat.create': 'owner admin member end_user',
  'rubric.list': 'owner admin member',
  'rubric.create': 'owner admin member',
  'file.list': 'owner admin member',
  'file.create': 'owner admin member',
  'collection.list': 'owner admin member',
  'collection.create': 'owner admin member',
  'key.list': 'owner admin member end_user',
  'key.create': 'owner admin member end_user',
  'key.create_gateway': 'owner admin',
  'key.oversee': 'owner admin',
  'organization.list': 'owner admin member end_user',
  'organization.configure': 'owner admin',
  'member.list': 'owner admin',
  'member.edit': 'owner admin',
  'member.invite': 'owner admin',
  'usage.read': 'owner admin',
  'budget.configure': 'owner admin',
  'audit.read': 'owner admin',
};

const assistantStandings = {
  own: { id: 7, isOwner: true, isShared: false, isPublished: false },
  shared: { id: 7, isOwner: false, isShared: true, isPublished: false },
  published: { id: 7, isOwner: false, isShared: false, isPublished: true },
  other: { id: 7, isOwner: false, isShared: false, isPublished: false },
} satisfies Record<string, AssistantStanding>;

/** On which assistants each role may do it. */
const onAssistants: Record<ActionOn<AssistantStanding>, Record<Role, string>> = {
  'assistant.use': {
    owner: 'own shared published other',
    admin: 'own shared published other',
    member: 'own shared published',
    end_user: 'own shared published',
  },
  'assistant.read': {
    owner: 'own shared published other',
    admin: 'own shared published other',
    member: 'own shared',
    end_user: '',
  },
  'assistant.edit': {
    owner: 'own shared published other',
    admin: 'own shared published other',
    member: 'own',
    end_user: '',
  },
  'assistant.share': {
    owner: 'own shared published other',
    admin: 'own shared published other',
    member: 'own',
    end_user: '',
  },
  'assistant.publish': {
    owner: 'own shared published other',
    admin: 'own shared published other',
    member: 'own',
    end_user: '',
  },
  'trace.read': {
    owner: 'own shared published other',
    admin: 'own shared published other',
    member: 'own',
    end_user: '',
  },
  'workspace.use': {
    owner: 'own shared published other',
    admin: 'own shared published other',
    member: 'own shared published',
    end_user: 'own shared published',
  },
};

const ownedStandings = {
  own: { isOwner: true, isPublic: false },
  public: { isOwner: false, isPublic: true },
  other: { isOwner: false, isPublic: false },
} satisfies Record<string, OwnedStanding>;

/** On whose rubrics, files, collections and keys each role may do it. */
const onOwned: Record<ActionOn<OwnedStanding>, Record<Role, string>> = {
  'rubric.read': { owner: 'own public', admin: 'own public', member: 'own public', end_user: '' },
  'rubric.edit': { owner: 'own', admin: 'own', member: 'own', end_user: '' },
  'rubric.showcase': { owner: 'public', admin: 'public', member: '', end_user: '' },
  'file.read': { owner: 'own', admin: 'own', member: 'own', end_user: 'own' },
  'file.edit': { owner: 'own', admin: 'own', member: 'own', end_user: '' },
  'collection.read': { owner: 'own public', admin: 'own public', member: 'own public', end_user: '' },
  'collection.query': { owner: 'own public', admin: 'own public', member: 'own public', end_user: '' },
  'collection.edit': { owner: 'own', admin: 'own', member: 'own', end_user: '' },
  'collection.share': { owner: 'own', admin: 'own', member: 'own', end_user: '' },
  'passage.read': { owner: 'own public', admin: 'own public', member: 'own public', end_user: 'own public' },
  'run.read': { owner: 'own', admin: 'own', member: 'own', end_user: 'own' },
  'run.control': { owner: 'own', admin: 'own', member: 'own', end_user: 'own' },
  'chat.read': { owner: 'own', admin: 'own', member: 'own', end_user: 'own' },
  'chat.edit': { owner: 'own', admin: 'own', member: 'own', end_user: 'own' },
  'key.revoke': { owner: 'own', admin: 'own', member: 'own', end_user: 'own' },
};

function keysOf<Table extends object>(table: Table) {
  return Object.keys(table) as (keyof Table & string)[];
}

describe('without a resource', () => {
  it.each(keysOf(bare))('%s', (action) => {
    expect(roles.filter((role) => decide(principal(role), action, undefined)).join(' ')).toBe(bare[action]);
  });
});

describe('on an assistant', () => {
  it.each(keysOf(onAssistants))('%s', (action) => {
    for (const role of roles) {
      const allowed = keysOf(assistantStandings).filter((standing) =>
        decide(principal(role), action, assistantStandings[standing]),
      );
      expect(allowed.join(' '), role).toBe(onAssistants[action][role]);
    }
  });
});

describe('on a rubric, a file or a key', () => {
  it.each(keysOf(onOwned))('%s', (action) => {
    for (const role of roles) {
      const allowed = keysOf(ownedStandings).filter((standing) =>
        decide(principal(role), action, ownedStandings[standing]),
      );
      expect(allowed.join(' '), role).toBe(onOwned[action][role]);
    }
  });
});

it('a resource that is not given is never allowed', () => {
  for (const role of roles) {
    for (const action of [...keysOf(onAssistants), ...keysOf(onOwned)]) {
      expect(decide(principal(role), action, undefined as never), `${role} ${action}`).toBe(false);
    }
  }
});

describe('a key that is limited to some assistants', () => {
  const everyAction = [...keysOf(bare), ...keysOf(onAssistants), ...keysOf(onOwned)];
  const opened = ['me.read', 'model.list', 'assistant.list', 'run.read', 'run.control', ...keysOf(onAssistants)];

  it.each(roles)('opens nothing but those assistants for an %s', (role) => {
    const allowed = everyAction.filter((action) => mayEver(principal(role, [7]), action));
    expect(allowed).toEqual(
      everyAction.filter((action) => opened.includes(action) && mayEver(principal(role), action)),
    );
    for (const action of keysOf(onOwned)) {
      expect(decide(principal(role, [7]), action, ownedStandings.own), action).toBe(false);
    }
  });

  it('opens the runs that were started with it, and no others', () => {
    const key = { ...principal('member', [7]), keyId: 'key-1' };
    for (const action of ['run.read', 'run.control'] as const) {
      const started = (startedWith?: string) => ({ ...ownedStandings.own, startedWith });
      expect(decide(key, action, started('key-1'))).toBe(true);
      expect(decide(key, action, started('key-2'))).toBe(false);
      expect(decide(key, action, started())).toBe(false);
      expect(decide(key, action, { ...ownedStandings.other, startedWith: 'key-1' })).toBe(false);
      expect(decide({ ...key, assistants: 'all' }, action, started('key-2'))).toBe(true);
    }
  });

  it('allows with them what its holder may, and nothing with others', () => {
    for (const role of roles) {
      for (const action of keysOf(onAssistants)) {
        for (const standing of Object.values(assistantStandings)) {
          const holder = decide(principal(role), action, standing);
          expect(decide(principal(role, [5, 7]), action, standing)).toBe(holder);
          expect(decide(principal(role, [5]), action, standing)).toBe(false);
          expect(decide(principal(role, []), action, standing)).toBe(false);
        }
      }
    }
  });
});

it('what may never be done may not be done, and the other way round', () => {
  for (const role of roles) {
    for (const action of keysOf(onAssistants)) {
      const somewhere = Object.values(assistantStandings).some((standing) => decide(principal(role), action, standing));
      expect(mayEver(principal(role), action), `${role} ${action}`).toBe(somewhere);
    }
    for (const action of keysOf(onOwned)) {
      const somewhere = Object.values(ownedStandings).some((standing) => decide(principal(role), action, standing));
      expect(mayEver(principal(role), action), `${role} ${action}`).toBe(somewhere);
    }
  }
});
