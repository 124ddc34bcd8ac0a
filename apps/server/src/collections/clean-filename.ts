const MOST_CHARACTERS = 200;

/** What an uploaded file is called: the last step of its path, without characters that hide or reorder others. */
export function cleanFilename(name: string): string {
  const plain = (name.split(/[/\\]/).at(-1) ?? '')
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '')
    .trim();
  if (/^\.*$/.test(plain)) return 'document';
  const characters = Array.from(plain);
  if (characters.length <= MOST_CHARACTERS) return plain;
  // Its ending says what it is.
  const ending = /\.[^.]{1,10}$/.exec(plain)?.[0] ?? '';
  return characters.slice(0, MOST_CHARACTERS - ending.length).join('') + ending;
}
