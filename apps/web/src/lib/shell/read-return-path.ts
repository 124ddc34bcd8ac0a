/** The address to go back to after sign-in; only ever one of this site, whatever a link says. */
export function readReturnPath(wanted: string | null, origin: string): string | undefined {
  if (!wanted?.startsWith('/')) return undefined;
  try {
    const url = new URL(wanted, origin);
    return url.origin === origin && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : undefined;
  } catch {
    return undefined;
  }
}
