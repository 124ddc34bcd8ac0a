const PLACE = 'lamb-invitation';

/** The secret of the invitation that was opened: behind the #, or kept in this tab across sign-in. */
export function readInvitation(): string {
  const { hash } = globalThis.location;
  return hash.length > 1 ? hash.slice(1) : (sessionStorage.getItem(PLACE) ?? '');
}

/** Keeps it in this tab until `forgetInvitation`, and nowhere that reaches a server. */
export function keepInvitation(token: string): void {
  sessionStorage.setItem(PLACE, token);
}

export function forgetInvitation(): void {
  sessionStorage.removeItem(PLACE);
}
