/** One of the six tool colours of app.css: `bg-c1-soft text-c1`, `var(--c1)`, `<Badge tone="c1">`. */
export type ToolColor = 'c1' | 'c2' | 'c3' | 'c4' | 'c5' | 'c6';

const colors: readonly ToolColor[] = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];

/** Tools about the same thing share a colour; there are more tools than colours that one can tell apart. */
const chosen: Readonly<Record<string, ToolColor>> = {
  simple_rag: 'c1',
  knowledge_base: 'c1',
  rubric_rag: 'c2',
  rubric: 'c2',
  rubric_eval: 'c2',
  assistant: 'c3',
  single_file_rag: 'c4',
  single_file: 'c4',
  patch_file: 'c4',
  moodle: 'c6',
  weather: 'c6',
  // The red one is for what stands in no list for long: an edge in red looks like an error.
  image_gen: 'c5',
};

/** The colour of a tool, the same in cards, placeholders, the X-ray and charts. A tool that is not ours has one, too, always the same. */
export function toolColor(type: string): ToolColor {
  if (Object.hasOwn(chosen, type)) return chosen[type] ?? 'c1';
  let sum = 0;
  for (const character of type) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997;
  return colors[sum % colors.length] ?? 'c1';
}
