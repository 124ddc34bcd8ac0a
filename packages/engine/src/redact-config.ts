const SECRET_NAME = /key|token|secret|passw|pwd|passphrase|credential|authorization|bearer|cookie/i;
const CREDENTIALS_IN_ADDRESS = /:\/\/[^/@\s]+@/g;

/** A tool's configuration as a trace may show it: anything named like a secret is hidden, at any depth, and so are credentials inside an address. */
export function redactConfig(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name, SECRET_NAME.test(name) ? '[redacted]' : redactValue(value)]),
  );
}

function redactValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactValue);
  if (typeof value === 'object' && value !== null) return redactConfig(value as Record<string, unknown>);
  return typeof value === 'string' ? value.replace(CREDENTIALS_IN_ADDRESS, '://[redacted]@') : value;
}
