/** What the environment says; options of a command win over it. */
export interface Config {
  readonly url: string | undefined;
  readonly key: string | undefined;
}

/** Reads the environment. Nothing else does. */
export function readConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  return { url: variables['LAMB_URL'], key: variables['LAMB_API_KEY'] };
}
