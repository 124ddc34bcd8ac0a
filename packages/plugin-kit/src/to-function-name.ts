/** A name that a creator gave, as the name of a function: `Año nuevo!` becomes `ano_nuevo`; undefined when nothing of it is left. */
export function toFunctionName(text: string): string | undefined {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, MAX_LENGTH)
    .replace(/^[_0-9]+|_+$/g, '');
  return name === '' ? undefined : name;
}

/** Leaves room for what a tool puts before it. */
const MAX_LENGTH = 40;
