/** A file name made of a title. */
export function nameFile(title: string, ending: string): string {
  const name = title.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-').replaceAll(/^-+|-+$/g, '');
  return `${name || 'rubric'}.${ending}`;
}
