/** Whether a saved secret would be forgotten: the server keeps it only for the origin it was saved for. */
export function movesOrigin(before: string | null | undefined, after: string): boolean {
  return readOrigin(before ?? '') !== readOrigin(after.trim());
}

/** Whether an address lies outside the organisation's own network; none at all is the provider's own service. */
export function isExternal(address: string | null | undefined): boolean {
  if (!address?.trim()) return true;
  if (!URL.canParse(address)) return true;
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '');
  if (host.includes(':')) return !/^(::1$|f[cd]|fe80)/i.test(host);
  if (/^\d+(\.\d+){3}$/.test(host)) {
    return !/^(127|10)\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^169\.254\./.test(host);
  }
  return host.includes('.') && !/\.(local|internal|lan|home\.arpa)$/.test(host);
}

/** Whether a text is an address that can be called. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text.trim()) && /^https?:$/.test(new URL(text.trim()).protocol);
}

function readOrigin(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}
