const keyOf = (assistantId: number) => `lamb.embed.${String(assistantId)}`;

/** The chat that this tab has with an assistant. */
export function recallChat(assistantId: number): string | undefined {
  try {
    return sessionStorage.getItem(keyOf(assistantId)) ?? undefined;
  } catch {
    // Frames of other sites may be allowed to keep nothing.
    return undefined;
  }
}

export function rememberChat(assistantId: number, chatId: string): void {
  try {
    sessionStorage.setItem(keyOf(assistantId), chatId);
  } catch {
    // As above: then a reload begins a new chat.
  }
}

export function forgetChat(assistantId: number): void {
  try {
    sessionStorage.removeItem(keyOf(assistantId));
  } catch {
    // As above.
  }
}
