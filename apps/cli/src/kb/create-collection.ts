import { CollectionLanguage, CollectionResource } from '@lamb/contract';
import { z } from 'zod';
import { CliError } from '../cli-error.ts';
import type { Command } from '../command.ts';
import { readOption } from '../read-option.ts';

/** `lamb kb create` */
export const createCollection: Command = {
  name: 'kb create',
  summary: 'Make a collection of documents',
  usage: '<name> [options]',
  words: [1, 1],
  options: {
    description: { type: 'string' },
    language: { type: 'string' },
    provider: { type: 'string' },
    model: { type: 'string' },
    dimensions: { type: 'string' },
    shared: { type: 'boolean' },
  },
  help: [
    '--description <text>',
    `--language <name>   whose words are reduced to their stems: ${CollectionLanguage.options.join(', ')}`,
    '--provider <name>   the provider of the embedding model; with --model',
    '--model <name>      the embedding model; without, the organisation’s default',
    '--dimensions <n>    how long its vectors are; without, the model is asked',
    '--shared            everybody in the organisation may search it',
  ],
  async run(context) {
    const { server, words, json, stdout, stderr, options } = context;
    const provider = readOption(context, 'provider', z.string());
    const model = readOption(context, 'model', z.string());
    if ((provider === undefined) !== (model === undefined)) {
      throw new CliError('Give --provider and --model together, or neither of them.', { exitCode: 2 });
    }
    const dimensions = readOption(context, 'dimensions', z.coerce.number().int());
    const created = await server.call(CollectionResource, 'POST', '/lamb/v1/collections', {
      name: words[0],
      description: readOption(context, 'description', z.string()),
      language: readOption(context, 'language', CollectionLanguage),
      visibility: options['shared'] === true ? 'organization' : 'private',
      ...(model === undefined ? {} : { embedding: { provider, model, dimensions } }),
    });
    for (const { message } of created.warnings) stderr.write(`lamb: ${message}\n`);
    stdout.write(json ? `${JSON.stringify(created)}\n` : `${String(created.id)}\n`);
  },
};
