import type { Principal } from '@lamb/contract';
import type { Assistant } from '@lamb/store';
import type { Services } from '../services.ts';
import { openTurn, type LoadedTurn } from './load-turn.ts';

/** The id of an assistant that is in no table. */
export const UNSAVED = 0;

/** What of an assistant in a form decides how it runs. */
export interface Draft {
  readonly systemPrompt: string;
  readonly promptTemplate: string;
  readonly metadata: string;
}

/** Compiles an assistant as it stands in a form. It is the person's own: its tools reach what they may reach. */
export async function loadDraft(services: Services, principal: Principal, draft: Draft): Promise<LoadedTurn> {
  return await openTurn(services, principal, () => Promise.resolve(toAssistant(principal, draft)));
}

function toAssistant({ userId, email, name, organizationId }: Principal, draft: Draft): Assistant {
  const now = new Date();
  return {
    ...draft,
    id: UNSAVED,
    organizationId,
    ownerId: userId,
    ownerEmail: email,
    ownerName: name,
    name: '',
    description: '',
    type: 'multi_tool',
    ragEndpoint: '',
    ragTopK: null,
    ragCollections: '',
    preRetrievalEndpoint: '',
    postRetrievalEndpoint: '',
    published: null,
    version: 0,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
}
