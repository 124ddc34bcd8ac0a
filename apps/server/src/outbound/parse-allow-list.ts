const ENTRY = /^(?<host>\[[^\]]+\]|[\w.-]+):(?<port>[1-9]\d{0,4})$/;

/** The operator's list of private services as `hostname:port`, the way a connection names them; a mistake in it stops the server. */
export function parseAllowList(entries: readonly string[]): ReadonlySet<string> {
  return new Set(
    entries.map((entry) => {
      const { host, port } = ENTRY.exec(entry)?.groups ?? {};
      const url = `http://${host ?? ''}:${port ?? ''}`;
      if (host === undefined || !URL.canParse(url)) {
        throw new Error(`“${entry}” is not host:port. Write for example ollama:11434, 127.0.0.1:11434 or [::1]:11434.`);
      }
      const hostname = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
      return `${hostname}:${port ?? ''}`;
    }),
  );
}
