import type { RunResource } from '@lamb/contract';
import type { OwnedRun } from '@lamb/runs';
import { UNSAVED } from '../completions/load-draft.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import { RunInput } from './run-input.ts';

const RunOrigin = RunInput.pick({ isDraft: true, replayOf: true });

/** A run as the API shows it. */
export function toRunResource(run: OwnedRun): RunResource {
  const { isDraft, replayOf } = RunOrigin.parse(run.input);
  return {
    id: run.id,
    assistant_id: run.assistantId === UNSAVED ? null : run.assistantId,
    chat_id: run.chatId,
    status: run.status,
    draft: isDraft,
    replay_of: replayOf ?? null,
    created_at: toUnixSeconds(run.createdAt),
    finished_at: run.finishedAt ? toUnixSeconds(run.finishedAt) : null,
    events_url: `/lamb/v1/runs/${run.id}/events`,
  };
}
