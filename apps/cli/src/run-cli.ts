import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { CliError } from './cli-error.ts';
import type { Command, Output } from './command.ts';
import type { Config } from './config.ts';
import { createServerClient } from './create-server-client.ts';
import { addDocuments } from './kb/add-documents.ts';
import { createCollection } from './kb/create-collection.ts';
import { listCollections } from './kb/list-collections.ts';
import { queryCollection } from './kb/query-collection.ts';
import { showStats } from './kb/show-stats.ts';
import { tuneCollection } from './kb/tune-collection.ts';

const commands: readonly Command[] = [
  createCollection,
  addDocuments,
  queryCollection,
  showStats,
  listCollections,
  tuneCollection,
];

const shared = {
  url: { type: 'string' },
  key: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} satisfies ParseArgsOptionsConfig;

const sharedHelp = [
  '--url <address>     the server; or the variable LAMB_URL',
  '--key <key>         an API key; or, better, the variable LAMB_API_KEY',
  '--json              write the result as JSON',
  '-h, --help          this text',
];

interface Surroundings {
  readonly config: Config;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly signal: AbortSignal;
}

/** Runs one command and gives its exit code: 0, done; 1, it could not be done; 2, the command is not understood; 130, interrupted. */
export async function runCli(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr, signal } = surroundings;
  try {
    const command = commands.find(({ name }) => name === words.slice(0, 2).join(' '));
    if (command) await runCommand(command, words.slice(2), surroundings);
    else if (words.length === 0 || words.some((word) => ['help', '-h', '--help'].includes(word)))
      stdout.write(explain());
    else throw new CliError(`There is no command “${words.slice(0, 2).join(' ')}”.\n\n${explain()}`, { exitCode: 2 });
    return 0;
  } catch (error) {
    if (signal.aborted) return 130;
    if (!(error instanceof CliError)) throw error;
    stderr.write(`lamb: ${error.message.trimEnd()}\n`);
    return error.exitCode;
  }
}

async function runCommand(command: Command, rest: readonly string[], surroundings: Surroundings): Promise<void> {
  const { config, stdout, stderr, signal } = surroundings;
  const { values, positionals } = readOptions(command, rest);
  if (values.help) {
    stdout.write(explainCommand(command));
    return;
  }
  const [least, most] = command.words;
  if (positionals.length < least || positionals.length > most) {
    throw new CliError(`Usage: lamb ${command.name} ${command.usage}`, { exitCode: 2 });
  }
  const url = readSetting(values.url, config.url, 'address', 'LAMB_URL or --url');
  if (!URL.canParse(url)) throw new CliError(`“${url}” is no address, such as http://127.0.0.1:9099.`, { exitCode: 2 });
  const key = readSetting(values.key, config.key, 'key', 'LAMB_API_KEY or --key');
  await command.run({
    server: createServerClient({ url, key, signal }),
    words: positionals,
    options: values,
    json: values.json,
    stdout,
    stderr,
    signal,
  });
}

function readOptions(command: Command, rest: readonly string[]) {
  try {
    return parseArgs({ args: [...rest], allowPositionals: true, options: { ...shared, ...command.options } });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/\. To specify.*$/s, '.') : '';
    throw new CliError(`${reason}\nUsage: lamb ${command.name} ${command.usage}`, { exitCode: 2, cause });
  }
}

function readSetting(option: unknown, variable: string | undefined, what: string, where: string): string {
  const value = typeof option === 'string' ? option : variable;
  if (value !== undefined && value !== '') return value;
  throw new CliError(`The server's ${what} is not known. Set ${where}.`, { exitCode: 2 });
}

function explain(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'lamb: a LAMB server from the command line.',
    '',
    'Usage: lamb <command> …',
    '',
    ...list,
    '',
    '`lamb <command> --help` explains one of them. For all:',
    ...sharedHelp.map((line) => `  ${line}`),
    '',
  ].join('\n');
}

function explainCommand({ name, usage, summary, help }: Command): string {
  return [
    `Usage: lamb ${name} ${usage}`,
    '',
    `${summary}.`,
    '',
    ...[...help, ...sharedHelp].map((line) => `  ${line}`),
    '',
  ].join('\n');
}
