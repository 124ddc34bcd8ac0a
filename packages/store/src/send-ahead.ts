const mark = '/* ahead */ ';

/** Marks a statement whose answer says nothing: it is sent, and the next one right after it. If it fails, the next one does. */
export function sendAhead(statement: string): string {
  return mark + statement;
}

export function isSentAhead(statement: string): boolean {
  return statement.startsWith(mark);
}
