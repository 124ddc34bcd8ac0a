import { toolColor, type ToolColor } from '#lib/ui/tool-color.ts';

// Whole names: Tailwind finds them by reading the source.
const chips: Readonly<Record<ToolColor, string>> = {
  c1: 'bg-c1-soft text-c1',
  c2: 'bg-c2-soft text-c2',
  c3: 'bg-c3-soft text-c3',
  c4: 'bg-c4-soft text-c4',
  c5: 'bg-c5-soft text-c5',
  c6: 'bg-c6-soft text-c6',
};

/** The look of a tool's chip; what no tool fills, such as the person's message, is plain. */
export function chipClasses(type: string | undefined): string {
  return type === undefined ? 'bg-surface-3 text-fg' : chips[toolColor(type)];
}
