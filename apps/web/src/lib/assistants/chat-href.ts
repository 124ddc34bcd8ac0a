/** Where one talks to an assistant. */
export function chatHref(id: number): string {
  return `/chats/new?assistant=${String(id)}`;
}
