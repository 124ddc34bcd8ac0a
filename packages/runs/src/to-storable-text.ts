/** Text that PostgreSQL takes: without NUL and halves of characters. */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
