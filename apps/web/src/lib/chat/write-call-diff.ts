interface Change {
  readonly line_start: number;
  readonly old_content: string;
  readonly new_content: string;
}

/** What a call of `patch_file` would change, as lines that go and lines that come; undefined for any other call. */
export function writeCallDiff(tool: string | null, given: string): { title: string; diff: string } | undefined {
  if (tool !== 'patch_file') return undefined;
  try {
    const { file_path: title, changes } = JSON.parse(given) as { file_path?: unknown; changes?: unknown };
    if (typeof title !== 'string' || !Array.isArray(changes) || !changes.every(isChange)) return undefined;
    const diff = changes.flatMap(({ line_start: start, old_content: old, new_content: fresh }) => [
      `@@ ${String(start)} @@`,
      ...mark('-', old),
      ...mark('+', fresh),
    ]);
    return { title, diff: diff.join('\n') };
  } catch {
    return undefined;
  }
}

function isChange(value: unknown): value is Change {
  if (typeof value !== 'object' || value === null) return false;
  const { line_start, old_content, new_content } = value as Record<string, unknown>;
  return typeof line_start === 'number' && typeof old_content === 'string' && typeof new_content === 'string';
}

function mark(sign: string, text: string): string[] {
  return text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => sign + line);
}
