/** What was asked, and the runs that answered. */
export type RememberedTurns = readonly {
  readonly question: string;
  readonly pictures: readonly string[];
  readonly runId: string;
}[];

const keyOf = (assistantId: number | undefined) =>
  `lamb.try-it.${assistantId === undefined ? 'new' : String(assistantId)}`;

/** Keeps a trial for as long as the tab is open, so that a reload goes on with it. */
export function rememberTurns(assistantId: number | undefined, turns: RememberedTurns): void {
  try {
    if (turns.length === 0) sessionStorage.removeItem(keyOf(assistantId));
    else sessionStorage.setItem(keyOf(assistantId), JSON.stringify(turns));
  } catch {
    // More than there is room for, or a browser that keeps nothing: pictures are forgotten, and then all of it.
    if (turns.some(({ pictures }) => pictures.length > 0)) {
      rememberTurns(
        assistantId,
        turns.map((turn) => ({ ...turn, pictures: [] })),
      );
    }
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

/** The trial of what was new belongs to what it was saved as; the next new one begins with none. */
export function moveTurns(savedAs: number): void {
  rememberTurns(savedAs, recallTurns(undefined));
  rememberTurns(undefined, []);
}

function isTurn(value: unknown): value is RememberedTurns[number] {
  if (typeof value !== 'object' || value === null) return false;
  const { question, pictures, runId } = value as Record<string, unknown>;
  return typeof question === 'string' && Array.isArray(pictures) && typeof runId === 'string';
}
