import type { WorkspaceFile } from '@lamb/plugin-kit';
import { splitLines } from './split-lines.ts';

/** The files of a workspace as the model needs them to change them: each with its path and its lines numbered, `maxChars` in all. */
export function numberFiles(files: readonly WorkspaceFile[], maxChars: number): { text: string; truncated: boolean } {
  const shown: string[] = [];
  let left = maxChars;
  let truncated = false;
  for (const { path, text } of files) {
    const lines = splitLines(text).map((line, index) => `${index + 1}: ${line.text}`);
    const fitting: string[] = [];
    for (const line of [`File ${path} (${lines.length === 1 ? '1 line' : `${lines.length} lines`}):`, ...lines]) {
      left -= line.length + 1;
      if (left < 0) break;
      fitting.push(line);
    }
    if (fitting.length > 0) shown.push(fitting.join('\n'));
    if (left >= 0) continue;
    truncated = true;
    break;
  }
  return { text: shown.join('\n\n'), truncated };
}
