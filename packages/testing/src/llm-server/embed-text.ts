/**
 * A deterministic stand-in for an embedding model: each different word is hashed to two places of the vector,
 * so texts that share words are near each other and texts that share none are nearly orthogonal.
 */
export function embedText(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of new Set(listWords(text))) {
    const hash = hashWord(word);
    add(vector, hash, 1);
    add(vector, Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0, 0.7);
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (length === 0) vector[0] = 1;
  else for (let index = 0; index < dimensions; index++) vector[index] = (vector[index] ?? 0) / length;
  return vector;
}

export function countWords(text: string): number {
  return listWords(text).length;
}

function listWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function add(vector: Float32Array, hash: number, weight: number): void {
  const place = hash % vector.length;
  vector[place] = (vector[place] ?? 0) + (hash & 0x10000 ? weight : -weight);
}

/** FNV-1a, 32 bits. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
