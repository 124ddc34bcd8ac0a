/** What was asked, and the runs that answered. */
export type RememberedTurns = readonly { readonly question: string; readonly runId: string }[];

const keyOf = (assistantId: number | undefined) =>
  `lamb.try-it.${assistantId === undefined ? 'new' : String(assistantId)}`;

/** Keeps a trial for as long as the tab is open, so that a reload goes on with it. */
export function rememberTurns(assistantId: number | undefined, turns: RememberedTurns): void {
  try {
    if (turns.length === 0) sessionStorage.removeItem(keyOf(assistantId));
    else sessionStorage.setItem(keyOf(assistantId), JSON.stringify(turns));
  } catch {
    // A browser that keeps nothing: then a reload begins anew.
  }
}

export function recallTurns(assistantId: number | undefined): RememberedTurns {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(keyOf(assistantId)) ?? '[]');
    return Array.isArray(found) ? (found as unknown[]).filter(isTurn) : [];
  } catch {
    return [];
  }
}

function isTurn(value: unknown): value is RememberedTurns[number] {
  if (typeof value !== 'object' || value === null) return false;
  const { question, runId } = value as Record<string, unknown>;
  return typeof question === 'string' && typeof runId === 'string';
}
