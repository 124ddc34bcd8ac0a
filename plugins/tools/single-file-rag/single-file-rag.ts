import { FilePath } from '@lamb/contract';
import { defineTool, toFunctionName, ToolFailure, type ToolHost, type ToolResult } from '@lamb/plugin-kit';
import { z } from 'zod';

const STATUS_PATH_LENGTH = 150;

const Config = z.object({
  file_path: FilePath.meta({
    title: 'File',
    description: "The path of one of the owner's files, such as notes/week-1.md.",
    'x-widget': 'file',
  }),
  max_chars: z.int().min(1).max(500_000).default(50_000).meta({
    title: 'Longest text',
    description: 'How many characters of the file are used at most; the prompt says when the rest was left out.',
  }),
  name: z.string().max(100).optional().meta({
    title: 'Name',
    description: 'What the file is to the model when the model decides whether to read it, such as “syllabus”.',
    'x-mode': 'function',
  }),
});

/** Puts one file of the assistant's owner into the prompt, or lets the model read it. */
export const singleFileRag = defineTool({
  name: 'single_file_rag',
  version: '1.0',
  category: 'file',
  title: 'Single file',
  description: 'Puts the whole text of one file into the prompt, or lets the model read it.',
  config: Config,
  context: {
    placeholder: 'file',
    status: ({ config }) => `reading file ${shortenPath(config.file_path)}`,
    run: ({ config, host, signal }) => readFile(config, host, signal),
  },
  function: {
    name({ config }) {
      const name = toFunctionName(config.name ?? '');
      return name === undefined ? 'read_file' : `read_${name}`;
    },
    description: ({ config }) => `Reads the file “${config.name ?? shortenPath(config.file_path)}” and gives its text.`,
    input: z.object({}),
    effect: 'none',
    run: ({ config, host, signal }) => readFile(config, host, signal),
  },
});

async function readFile(config: z.infer<typeof Config>, host: ToolHost, signal: AbortSignal): Promise<ToolResult> {
  signal.throwIfAborted();
  const file = await host.files.read(config.file_path, { maxChars: config.max_chars }, signal);
  if (!file) {
    throw new ToolFailure(`File ${config.file_path} was not found or is not accessible to the assistant's owner.`);
  }
  const notice = `[Only the first ${config.max_chars.toLocaleString('en')} characters of this file are shown.]`;
  return {
    content: file.truncated ? `${file.text}\n\n${notice}` : file.text,
    sources: [{ title: config.file_path, kind: 'file', id: config.file_path }],
    metadata: { truncated: file.truncated, chars: file.text.length },
  };
}

/** A path may be a thousand characters long; its end says most. */
function shortenPath(path: string): string {
  const characters = Array.from(path);
  return characters.length <= STATUS_PATH_LENGTH ? path : `…${characters.slice(-STATUS_PATH_LENGTH).join('')}`;
}
