/**
 * Text as it can be stored and compared: composed characters, line feeds, no control characters (PostgreSQL takes no
 * NUL), no soft hyphens, no halves of surrogate pairs, no blanks at the ends.
 */
export function cleanText(text: string): string {
  return (
    text
      .toWellFormed()
      .normalize('NFC')
      .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
      // eslint-disable-next-line no-control-regex -- these are what is removed
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ad\ufeff]/g, '')
      .replaceAll(/[ \t]+$/gm, '')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim()
  );
}
