/** The media type and the Base64 of an image that a message carries inside; undefined when it is only an address. */
export function parseDataUrl(url: string): { mediaType: string; base64: string } | undefined {
  const comma = url.indexOf(',');
  // The data may be megabytes: only what is before it is looked at.
  const header = /^data:([a-z0-9.+/-]+)(?:;[^;]+)*;base64$/iu.exec(url.slice(0, Math.max(0, comma)));
  return header?.[1] === undefined ? undefined : { mediaType: header[1], base64: url.slice(comma + 1) };
}
