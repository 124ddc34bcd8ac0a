import {
  AppError,
  readMetadata,
  type AssistantMetadata,
  type Principal,
  type RunReplayBody,
  type ToolEntry,
} from '@lamb/contract';
import { compilePlan, type Catalogue } from '@lamb/engine';
import type { OwnedRun } from '@lamb/runs';
import { getAssistantAccess } from '@lamb/store';
import { authorizeAssistant } from '../access/authorize-assistant.ts';
import { loadDraft, UNSAVED } from '../completions/load-draft.ts';
import { openTurn, type LoadedTurn } from '../completions/load-turn.ts';
import type { Services } from '../services.ts';
import { RunInput } from './run-input.ts';
import { startRun } from './start-run.ts';

/** Starts a run with the same conversation and the assistant as it was then, but for what is to be different. */
export async function replayRun(
  services: Services,
  principal: Principal,
  run: OwnedRun,
  { without_tools: withoutTools, model }: RunReplayBody,
): Promise<OwnedRun> {
  const { assistant, request, isDraft } = RunInput.parse(run.input);
  const { metadata } = readMetadata(assistant.metadata);
  const changed: AssistantMetadata = {
    ...metadata,
    ...(model ? { connector: model.provider, llm: model.model } : {}),
    tools: leaveOut(withoutTools, nameTools(assistant, metadata, services.catalogue)),
  };
  const content = { ...assistant, metadata: JSON.stringify(changed) };
  const loaded = isDraft
    ? await loadDraft(services, principal, content)
    : await openTurn(services, principal, async (tx) => {
        const access = await getAssistantAccess(tx, run.assistantId, principal.userId);
        authorizeAssistant(principal, 'trace.read', access);
        return { ...access.assistant, ...content };
      });
  if (model) requireModel(loaded, model);
  return await startRun(services, principal, loaded, request, {
    keepsTexts: true,
    replayOf: run.id,
    ...(isDraft && run.assistantId !== UNSAVED ? { draftOf: run.assistantId } : {}),
  });
}

/** The tools with the placeholders that they fill: with one of them gone, the others must not move up. */
function nameTools(
  assistant: { systemPrompt: string; promptTemplate: string },
  metadata: AssistantMetadata,
  catalogue: Catalogue,
): ToolEntry[] {
  const { plan } = compilePlan({ id: UNSAVED, ...assistant, metadata }, catalogue);
  const planned = new Map(plan.levels.flat().map((tool) => [tool.writtenConfig, tool.placeholder]));
  return metadata.tools.map((entry) => {
    const placeholder = entry.enabled && entry.mode === 'context' ? planned.get(entry.config) : undefined;
    return placeholder === undefined ? entry : { ...entry, placeholder };
  });
}

function leaveOut(withoutTools: RunReplayBody['without_tools'], tools: readonly ToolEntry[]): ToolEntry[] {
  const isMeant = (entry: ToolEntry, index: number) =>
    withoutTools.includes(index) || (entry.placeholder !== undefined && withoutTools.includes(entry.placeholder));
  const unknown = withoutTools.filter(
    (wanted) => !tools.some((entry, index) => wanted === index || wanted === entry.placeholder),
  );
  if (unknown.length > 0) {
    throw new AppError('invalid_request', {
      message: `The assistant has no tool ${unknown.map((each) => `“${String(each)}”`).join(', ')}.`,
      details: { param: 'without_tools', unknown },
    });
  }
  return tools.filter((entry, index) => !isMeant(entry, index));
}

/** A turn falls back to another model where its own is not offered; here that would compare with the wrong one. */
function requireModel({ model }: LoadedTurn, wanted: { provider: string; model: string }): void {
  if (model.connector.name === wanted.provider && model.model === wanted.model) return;
  throw new AppError('invalid_request', {
    message: `The organisation does not offer the model “${wanted.model}” of “${wanted.provider}”.`,
    details: { param: 'model' },
  });
}
