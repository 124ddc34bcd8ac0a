/** Which part of the query's different words the text contains, from 0 to 1. */
export function scoreOverlap(query: string, text: string): number {
  const wanted = listWords(query);
  if (wanted.size === 0) return 0;
  const present = listWords(text);
  return [...wanted].filter((word) => present.has(word)).length / wanted.size;
}

function listWords(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}
