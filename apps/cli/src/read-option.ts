import type { z } from 'zod';
import { CliError } from './cli-error.ts';
import type { CommandContext } from './command.ts';

/** The value of an option in the form the server takes it, or undefined when it was not given. */
export function readOption<Schema extends z.ZodType>(
  { options }: Pick<CommandContext, 'options'>,
  name: string,
  schema: Schema,
): z.infer<Schema> | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CliError(`--${name} ${String(value)}: ${parsed.error.issues[0]?.message ?? 'is not valid'}.`, {
    exitCode: 2,
    cause: parsed.error,
  });
}
