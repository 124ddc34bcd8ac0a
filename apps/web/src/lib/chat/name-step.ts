import { nameTool } from '#lib/tools/tool-words.ts';

/** What a tool is called in front of people; one that is not ours keeps its own name, without underscores. */
export function nameStep(tool: string): string {
  return nameTool({ name: tool, display_name: tool.replaceAll('_', ' ') });
}
