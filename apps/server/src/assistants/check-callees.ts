import type { AssistantMetadata, Problem, ToolEntry } from '@lamb/contract';
import type { Catalogue } from '@lamb/engine';
import type { TenantTx } from '@lamb/store';
import { judgeCallee, type CallingAssistant } from './judge-callee.ts';

/** More than any model keeps apart, and what one save or one turn may cost the database. */
const MAX_CALLEES = 50;

type Refusal = Pick<Problem, 'code' | 'params' | 'message'>;

const codes = {
  self: 'callee_self',
  not_found: 'callee_missing',
  not_allowed: 'callee_missing',
  tool_using: 'callee_uses_tools',
} as const;

/** What is wrong with the assistants that an assistant would ask. */
export async function findCalleeProblems(
  tx: TenantTx,
  caller: CallingAssistant,
  { tools }: AssistantMetadata,
  catalogue: Catalogue,
): Promise<Problem[]> {
  const refusalOf = rememberRefusals(tx, caller, catalogue);
  const problems: Problem[] = [];
  for (const [index, entry] of tools.entries()) {
    const refusal = await refusalOf(entry);
    const path = `tools.${String(index)}.config.assistant_id`;
    if (refusal !== undefined) problems.push({ severity: 'error', path, ...refusal });
  }
  return problems;
}

/**
 * The metadata without the functions whose assistant may not be asked now, so that the model is not offered them. This
 * saves tokens and disappointment; what protects is the check when it is asked.
 */
export async function leaveOutForbiddenCallees(
  tx: TenantTx,
  caller: CallingAssistant,
  metadata: AssistantMetadata,
  catalogue: Catalogue,
): Promise<AssistantMetadata> {
  const refusalOf = rememberRefusals(tx, caller, catalogue);
  const tools: ToolEntry[] = [];
  for (const entry of metadata.tools) {
    if (entry.mode !== 'function' || (await refusalOf(entry)) === undefined) tools.push(entry);
  }
  return { ...metadata, tools };
}

/** Says why the assistant that an entry asks may not be asked; each assistant is looked at once. */
function rememberRefusals(
  tx: TenantTx,
  caller: CallingAssistant,
  catalogue: Catalogue,
): (entry: ToolEntry) => Promise<Refusal | undefined> {
  const known = new Map<number, Refusal | undefined>();
  return async (entry) => {
    const targetId = findTarget(entry, catalogue);
    if (targetId === undefined) return undefined;
    if (known.has(targetId)) return known.get(targetId);
    if (known.size >= MAX_CALLEES) {
      const count = String(MAX_CALLEES);
      return { code: 'callees_too_many', params: { count }, message: `An assistant can ask at most ${count} others.` };
    }
    const verdict = await judgeCallee(tx, caller, targetId, catalogue);
    const refusal: Refusal | undefined = verdict.allowed
      ? undefined
      : { code: codes[verdict.reason], params: { id: String(targetId) }, message: verdict.message };
    known.set(targetId, refusal);
    return refusal;
  };
}

function findTarget({ enabled, type, config }: ToolEntry, catalogue: Catalogue): number | undefined {
  const tool = enabled ? catalogue.findTool(type) : undefined;
  if (!tool?.targetAssistant) return undefined;
  const parsed = tool.config.safeParse(config);
  return parsed.success ? tool.targetAssistant({ config: parsed.data }) : undefined;
}
