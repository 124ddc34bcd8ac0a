/** The month that a moment belongs to, in UTC. */
export interface BudgetMonth {
  /** Its first day, as the database writes it. */
  readonly day: string;
  readonly from: Date;
  /** The first moment of the next one. */
  readonly until: Date;
}

export function findBudgetMonth(now: Date): BudgetMonth {
  const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const until = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  return { day: from.toISOString().slice(0, 10), from, until };
}
