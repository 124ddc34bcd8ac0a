import { AppError, type Principal } from '@lamb/contract';
import { decide, type Action, type ResourceOf } from './decide.ts';

/** The action that makes a resource visible; who may not do that is told the same as if it did not exist. */
const visibility = {
  assistant: 'assistant.use',
  trace: 'assistant.use',
  workspace: 'assistant.use',
  run: 'run.read',
  chat: 'chat.read',
  rubric: 'rubric.read',
  file: 'file.read',
  collection: 'collection.read',
  passage: 'passage.read',
  key: 'key.revoke',
} as const satisfies Record<string, Action>;

type ResourceAction = Extract<Action, `${keyof typeof visibility}.${string}`>;

/**
 * Refuses what the policy does not allow: `not_found` when the resource is missing or not visible to the principal,
 * `forbidden` when it is visible but this action is not theirs.
 */
export function authorize<A extends ResourceAction, Resource extends ResourceOf<A> & object>(
  principal: Principal,
  action: A,
  resource: Resource | undefined,
): asserts resource is Resource {
  if (resource === undefined) throw new AppError('not_found');
  if (decide(principal, action, resource)) return;
  const visible = visibility[action.slice(0, action.indexOf('.')) as keyof typeof visibility];
  throw new AppError(decide(principal, visible, resource as never) ? 'forbidden' : 'not_found');
}
