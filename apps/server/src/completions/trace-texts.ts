import { messageText, type ChatMessage, type RunTrace, type Usage } from '@lamb/contract';
import { estimateUsage, type TurnPorts } from '@lamb/engine';
import type { Connector, ModelEvent, ToolHost } from '@lamb/plugin-kit';
import { putRunTrace, withTenant } from '@lamb/store';
import type { Services } from '../services.ts';
import type { RunContext } from './book-usage.ts';

/** What is kept of the context: the trace, and the placeholders whose tool had more than it gave. */
export interface ContextRecord extends RunTrace {
  readonly truncated?: readonly string[];
}

/** What is kept of one answer of the model. */
export interface ModelRecord {
  readonly connector: string;
  readonly model: string;
  readonly sent: readonly ChatMessage[];
  readonly offered: readonly string[];
  readonly answer: string;
  readonly finish_reason: string;
  readonly usage: Usage;
  readonly milliseconds: number;
  readonly first_token_ms: number | null;
  /** The calls before it whose tool had more than it gave. */
  readonly truncated: readonly string[];
}

const CONTEXT_CALL = 'context:';

/**
 * Makes a turn keep the very messages that its model is sent, and what it says, for the person to look at. They are there
 * before the turn says that it is over, also when the model fails.
 */
export function traceTexts(ports: TurnPorts, run: RunContext, services: Services): TurnPorts {
  const truncated = new Set<string>();
  let context: PromiseWithResolvers<void> | undefined;
  const keep = async (step: string, trace: ContextRecord | ModelRecord): Promise<void> => {
    const { principal, runId, assistantId } = run;
    try {
      await withTenant(services.db, principal.organizationId, (tx) =>
        putRunTrace(tx, { runId, step, assistantId, userId: principal.userId, trace: toStorable(trace) }),
      );
    } catch (error) {
      services.log.error({ err: error, runId }, 'trace could not be recorded');
    }
  };
  return {
    ...ports,
    openHost: (scope) => noteTruncation(ports.openHost(scope), () => truncated.add(scope.callId)),
    countTokens(texts) {
      // Tokens are counted for the trace of the context alone: one is on its way.
      context ??= Promise.withResolvers();
      return ports.countTokens(texts);
    },
    recordTrace(trace) {
      const cut = [...truncated].filter((id) => id.startsWith(CONTEXT_CALL)).map((id) => id.slice(CONTEXT_CALL.length));
      void keep('context', { ...trace, truncated: cut }).then(context?.resolve);
    },
    reportError(error, where) {
      if (where === 'trace') context?.resolve();
      ports.reportError(error, where);
    },
    model: {
      ...ports.model,
      connector: recordAnswers(ports.model.connector, async (record) => {
        // Named by how much was said before it: an answer that is asked for again takes the place of the first.
        await keep(`model:${String(record.sent.length)}`, { ...record, truncated: [...truncated] });
        await context?.promise;
      }),
    },
  };
}

function noteTruncation(host: ToolHost, note: () => void): ToolHost {
  return {
    ...host,
    files: {
      async read(...input) {
        const file = await host.files.read(...input);
        if (file?.truncated) note();
        return file;
      },
    },
  };
}

function recordAnswers(
  connector: Connector,
  keep: (record: Omit<ModelRecord, 'truncated'>) => Promise<void>,
): Connector {
  return {
    ...connector,
    async *stream(call) {
      const started = performance.now();
      const since = () => Math.round((performance.now() - started) * 10) / 10;
      let answer = '';
      let finishReason = '';
      let usage: Usage | undefined;
      let firstTokenMs: number | null = null;
      const hear = (event: ModelEvent) => {
        if (event.type !== 'usage' && event.type !== 'finish') firstTokenMs ??= since();
        if (event.type === 'text') answer += event.text;
        if (event.type === 'finish') finishReason = event.reason;
        if (event.type !== 'usage') return;
        const { promptTokens: prompt_tokens, completionTokens: completion_tokens } = event;
        usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, estimated: false };
      };
      try {
        for await (const batch of connector.stream(call)) {
          batch.forEach(hear);
          yield batch;
        }
      } finally {
        const promptChars = call.messages.reduce((sum, message) => sum + messageText(message).length, 0);
        await keep({
          connector: connector.name,
          model: call.model,
          sent: call.messages,
          offered: (call.tools ?? []).map(({ name }) => name),
          answer,
          finish_reason: finishReason,
          usage: usage ?? estimateUsage(promptChars, answer.length),
          milliseconds: since(),
          first_token_ms: firstTokenMs,
        });
      }
    },
  };
}

/** PostgreSQL takes no NUL and no half characters. */
function toStorable(trace: ContextRecord | ModelRecord): Record<string, unknown> {
  return JSON.parse(JSON.stringify(trace), (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value,
  ) as Record<string, unknown>;
}
