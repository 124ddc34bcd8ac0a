import { findCitations, type Citations } from '@lamb/contract';

/** Above this, a number in brackets is a year or the like, unless so many sources were numbered. */
const HIGHEST_LIKELY = 999;

/** Says which sources an answer cites, and which numbers in it point at none. The sources are numbered from 1 without a gap. */
export function checkCitations(text: string, lastNumber: number): Citations {
  const numbers = new Set(findCitations(text).flatMap((marker) => marker.numbers));
  const likely = [...numbers].filter((number) => number <= Math.max(HIGHEST_LIKELY, lastNumber));
  const isKnown = (number: number) => number >= 1 && number <= lastNumber;
  return { cited: likely.filter(isKnown), unknown: likely.filter((number) => !isKnown(number)) };
}
