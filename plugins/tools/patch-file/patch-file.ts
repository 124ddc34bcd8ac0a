import { FilePath } from '@lamb/contract';
import { defineTool, ToolFailure, type WorkspaceFile } from '@lamb/plugin-kit';
import { z } from 'zod';
import { applyChanges } from './apply-changes.ts';
import { createUnifiedDiff } from './create-unified-diff.ts';
import { numberFiles } from './number-files.ts';
import { showLines } from './show-lines.ts';

const MAX_CHANGES = 200;
const MAX_DIFF_CHARS = 100_000;

const Change = z.object({
  line_start: z.int().min(1).describe('The first line to replace, counted from 1, in the original file.'),
  line_end: z
    .int()
    .min(0)
    .describe('The last line to replace. One less than line_start inserts before line_start and replaces nothing.'),
  old_content: z.string().describe('What these lines are now, exactly. Empty for an insertion.'),
  new_content: z.string().describe('What they become. Empty deletes them.'),
  reason: z.string().optional().describe('Why, in a few words.'),
});

/** Shows the model the files of the workspace, or lets it change one of them, line by line. */
export const patchFile = defineTool({
  name: 'patch_file',
  version: '1.0',
  category: 'file',
  title: 'Edit files',
  description:
    'Lets the model change text files that the person put into their workspace with this assistant. As context, it shows ' +
    'the model these files with numbered lines.',
  config: z.object({
    max_chars: z.int().min(1).max(500_000).default(50_000).meta({
      title: 'Longest text',
      description: 'As context: how many characters of the files are shown at most.',
      'x-mode': 'context',
    }),
  }),
  context: {
    placeholder: 'workspace',
    status: () => 'reading the workspace',
    async run({ config, host, signal }) {
      signal.throwIfAborted();
      const files: WorkspaceFile[] = [];
      let chars = 0;
      for (const path of await host.workspace.list(signal)) {
        if (chars > config.max_chars) break;
        const file = await host.workspace.read(path, signal);
        if (!file) continue;
        files.push(file);
        chars += file.text.length;
      }
      const { text, truncated } = numberFiles(files, config.max_chars);
      const notice = `[Only the first ${config.max_chars.toLocaleString('en')} characters of the workspace are shown.]`;
      return {
        content: truncated ? `${text}\n\n${notice}` : text,
        sources: files.map(({ path }) => ({ title: path, kind: 'workspace', id: path })),
        metadata: { files: files.length, truncated },
      };
    },
  },
  function: {
    name: () => 'patch_file',
    description: () =>
      'Changes lines of a text file in the person’s workspace. All line numbers refer to the original file, before any ' +
      'change of this call; ranges must not overlap. Either all changes are made or none. When the answer says that the ' +
      'content does not match, it shows what the file has there: correct the call and send it again.',
    input: z.object({
      file_path: FilePath.describe('The path of the file in the workspace, such as src/example.py.'),
      changes: z.array(Change).min(1).max(MAX_CHANGES).describe('What to change, in any order.'),
    }),
    effect: 'once',
    async run({ arguments: { file_path, changes }, host, signal }) {
      signal.throwIfAborted();
      const file = await host.workspace.read(file_path, signal);
      if (!file) {
        throw new ToolFailure(`File not found: ${file_path}. The person must put it into the workspace first.`);
      }
      if (changes.some(({ new_content }) => !new_content.isWellFormed() || new_content.includes('\0'))) {
        throw new ToolFailure('new_content is not text: it has U+0000 or half of a character.');
      }
      const applied = applyChanges(file.text, changes);
      if ('problem' in applied) {
        return { content: showLines(file.text, applied.near), error: applied.problem };
      }
      if (applied.text === file.text) return { content: `${file_path} is already like this; nothing was changed.` };
      await host.workspace.replace({ ...file, text: applied.text }, signal);
      const diff = cut(createUnifiedDiff(file_path, file.text, applied.text));
      const made = changes.length === 1 ? '1 change' : `${changes.length} changes`;
      const now = applied.lines === 1 ? '1 line' : `${applied.lines} lines`;
      return {
        content: `${file_path}: ${made} made. It now has ${now}.\n\n${diff}`,
        artifacts: [{ kind: 'diff', title: file_path, text: diff }],
        metadata: { changes: changes.length, lines: applied.lines },
      };
    },
  },
});

function cut(diff: string): string {
  if (diff.length <= MAX_DIFF_CHARS) return diff;
  const end = diff.lastIndexOf('\n', MAX_DIFF_CHARS);
  return `${diff.slice(0, end === -1 ? 0 : end)}\n[The rest of the diff is left out here; the file has all of it.]\n`;
}
