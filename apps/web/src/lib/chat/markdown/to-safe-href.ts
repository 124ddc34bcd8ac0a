const allowed = new Set(['http:', 'https:', 'mailto:']);

/** An address that a link of an answer may lead to, or undefined. What is no absolute address is none of ours to guess. */
export function toSafeHref(href: string): string | undefined {
  const url = URL.parse(href);
  return url !== null && allowed.has(url.protocol) ? url.href : undefined;
}

const ownImage = /^\/lamb\/v1\/files\/[\w-]+\/content$/;

/** The address of an image that this server keeps; of any other, undefined: loading it would tell somebody what was read. */
export function toOwnImage(href: string, origin: string): string | undefined {
  const url = URL.parse(href, origin);
  return url?.origin === origin && ownImage.test(url.pathname) && url.search === '' ? url.pathname : undefined;
}
