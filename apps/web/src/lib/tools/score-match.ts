/** How well a tool fits what was typed: every word must occur in its own words, accents or not; its name counts most. */
export function scoreMatch(value: string, typed: string, [name = '', ...others]: string[] = []): number {
  const words = plain(typed)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.every((word) => plain(name).includes(word))) return 1;
  const all = plain([name, value, ...others].join(' '));
  return words.every((word) => all.includes(word)) ? 0.5 : 0;
}

function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
