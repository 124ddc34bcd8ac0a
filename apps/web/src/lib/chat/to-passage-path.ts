const passage = /^\/lamb\/v1\/collections\/\d+\/documents\/[\w-]+\/passage$/;

/** The address of a passage on this server; a source of elsewhere has none. */
export function toPassagePath(address: string, origin: string): string | undefined {
  const url = URL.parse(address, origin);
  return url?.origin === origin && passage.test(url.pathname) ? url.pathname + url.search : undefined;
}
