import { createHash } from 'node:crypto';

/** A passage of made-up language: words of its topic among the common ones, which are common as in life. */
export interface MadePassage {
  text: string;
  /** As `lamb.weigh_terms` would make it. */
  terms: string;
  lexemes: number[];
}

const VOCABULARY = 30_000;
const TOPICS = 400;
const WORDS_OF_TOPIC = 50;
const LENGTH = 110;
const onsets = ['b', 'br', 'd', 'f', 'gr', 'k', 'l', 'm', 'n', 'p', 'pl', 'r', 's', 'st', 't', 'tr', 'v', 'z'];
const vowels = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'ou'];

/** The same numbers at every run. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function makePassage(random: () => number): MadePassage {
  const topic = Math.floor(random() * TOPICS);
  const words = Array.from({ length: LENGTH - 20 + Math.floor(random() * 40) }, () => drawWord(random, topic, 0.4));
  return { text: words.join(' '), ...weighTerms(words) };
}

/** A question about a topic, in its words. */
export function makeQuery(random: () => number): string {
  const topic = Math.floor(random() * TOPICS);
  return Array.from({ length: 12 }, () => drawWord(random, topic, 0.7)).join(' ');
}

function drawWord(random: () => number, topic: number, share: number): string {
  if (random() < share) {
    const rank = Math.floor(WORDS_OF_TOPIC ** random());
    return nameWord((topic * 7919 + rank * 104_729) % VOCABULARY);
  }
  return nameWord(Math.floor(VOCABULARY ** random()));
}

const names = new Map<number, string>();

function nameWord(index: number): string {
  let name = names.get(index);
  if (name === undefined) {
    const random = createRandom(index + 1);
    const syllables = 1 + Math.floor(random() * 3);
    const parts = Array.from({ length: syllables }, () => pick(onsets, random) + pick(vowels, random));
    // Numbered in letters, so that no two are the same.
    name = parts.join('') + 'x' + index.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? 'q');
    names.set(index, name);
  }
  return name;
}

function pick(list: readonly string[], random: () => number): string {
  return list[Math.floor(random() * list.length)] ?? '';
}

function weighTerms(words: readonly string[]): { terms: string; lexemes: number[] } {
  const counts = new Map<number, number>();
  for (const word of words) {
    const place = findPlace(word);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const entries = [...counts].map(([place, n]) => {
    const weight = (n * 2.2) / (n + 1.2 * (0.25 + (0.75 * words.length) / 120));
    return `${String(place)}:${String(Math.fround(weight))}`;
  });
  return { terms: `{${entries.join(',')}}/16777216`, lexemes: [...counts.keys()] };
}

const places = new Map<string, number>();

function findPlace(word: string): number {
  let place = places.get(word);
  if (place === undefined) {
    place = parseInt(createHash('md5').update(word).digest('hex').slice(0, 6), 16) + 1;
    places.set(word, place);
  }
  return place;
}
