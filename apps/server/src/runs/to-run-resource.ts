import type { RunResource } from '@lamb/contract';
import type { OwnedRun } from '@lamb/runs';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';

/** A run as the API shows it. */
export function toRunResource(run: OwnedRun): RunResource {
  return {
    id: run.id,
    assistant_id: run.assistantId,
    chat_id: run.chatId,
    status: run.status,
    created_at: toUnixSeconds(run.createdAt),
    finished_at: run.finishedAt ? toUnixSeconds(run.finishedAt) : null,
    events_url: `/lamb/v1/runs/${run.id}/events`,
  };
}
