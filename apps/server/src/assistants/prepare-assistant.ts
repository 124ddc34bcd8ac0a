import {
  AppError,
  readMetadata,
  writeMetadata,
  type AssistantMetadata,
  type LegacyColumns,
  type Problem,
} from '@lamb/contract';
import { compilePlan, type Catalogue } from '@lamb/engine';
import type { AssistantContent, TenantTx } from '@lamb/store';
import { findCalleeProblems } from './check-callees.ts';
import type { CallingAssistant } from './judge-callee.ts';

interface Draft {
  readonly systemPrompt: string;
  readonly promptTemplate: string;
  readonly metadata: unknown;
  readonly columns: LegacyColumns;
}

/** Everything that is wrong with an assistant, found the same way as a turn would find it. */
export async function checkAssistant(
  tx: TenantTx,
  caller: CallingAssistant,
  draft: Draft,
  catalogue: Catalogue,
): Promise<{ metadata: AssistantMetadata; problems: Problem[] }> {
  const { metadata, problems } = readMetadata(draft.metadata, draft.columns);
  const compiled = compilePlan(
    { id: caller.id ?? 0, systemPrompt: draft.systemPrompt, promptTemplate: draft.promptTemplate, metadata },
    catalogue,
  );
  const callees = await findCalleeProblems(tx, caller, metadata, catalogue);
  return { metadata, problems: [...problems, ...compiled.problems, ...callees] };
}

/** An assistant as it is stored; one with errors is refused. */
export async function prepareAssistant(
  tx: TenantTx,
  caller: CallingAssistant,
  draft: Draft,
  catalogue: Catalogue,
): Promise<
  Pick<AssistantContent, 'systemPrompt' | 'promptTemplate' | 'metadata' | 'type' | 'ragCollections' | 'ragTopK'>
> {
  const { metadata, problems } = await checkAssistant(tx, caller, draft, catalogue);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    const [first] = errors;
    throw new AppError('assistant_invalid', {
      message: `The assistant cannot be saved like this: ${first?.message ?? ''}`,
      details: { problems },
    });
  }
  const { systemPrompt, promptTemplate } = draft;
  return { systemPrompt, promptTemplate, type: metadata.assistant_type, ...writeMetadata(metadata) };
}
