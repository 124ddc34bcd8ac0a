import type { Plan } from '../plan.ts';

/**
 * A second opinion on rendering, written to be obvious: it reads the template one character at a time and knows neither
 * regular expressions nor segments.
 */
export function renderByReference(template: string, kind: Plan['kind'], contents: ReadonlyMap<string, string>): string {
  let output = '';
  let name: string | undefined;
  for (const character of template) {
    if (name === undefined) {
      if (character === '{') name = '';
      else output += character;
    } else if (character === '}' && name !== '') {
      output += fill(name, kind, contents);
      name = undefined;
    } else if (mayStandInName(character, name === '')) {
      name += character;
    } else {
      output += `{${name}`;
      if (character === '{') name = '';
      else {
        output += character;
        name = undefined;
      }
    }
  }
  return name === undefined ? output : `${output}{${name}`;
}

function fill(name: string, kind: Plan['kind'], contents: ReadonlyMap<string, string>): string {
  const content = contents.get(name);
  if (content === undefined) return kind === 'classic' ? `{${name}}` : '';
  return content === '' ? '' : `\n\n${content}\n\n`;
}

function mayStandInName(character: string, first: boolean): boolean {
  if (character >= 'a' && character <= 'z') return true;
  if (first) return false;
  return (character >= '0' && character <= '9') || character === '_';
}
