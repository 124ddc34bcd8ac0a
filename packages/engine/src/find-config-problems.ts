import type { Problem } from '@lamb/contract';
import type { Tool } from '@lamb/plugin-kit';

type ConfigError = NonNullable<ReturnType<Tool['config']['safeParse']>['error']>;
type Issue = ConfigError['issues'][number];

/** What a tool's schema refuses in a configuration. `rule` is named as JSON Schema names it, as the web app's forms do. */
export function findConfigProblems(error: ConfigError, config: unknown, path: string): Problem[] {
  return error.issues.map((issue) => ({
    severity: 'error',
    path: [path, 'config', ...issue.path.map(String)].join('.'),
    code: 'config',
    params: toRule(issue, config),
    message: issue.message,
  }));
}

function toRule(issue: Issue, config: unknown): { rule: string; limit?: string } {
  switch (issue.code) {
    case 'invalid_type':
      if (readAt(config, issue.path) === undefined) return { rule: 'required' };
      return { rule: 'type', limit: issue.expected === 'int' ? 'integer' : issue.expected };
    case 'too_small':
      return { rule: `min${measureOf(issue.origin)}`, limit: String(issue.minimum) };
    case 'too_big':
      return { rule: `max${measureOf(issue.origin)}`, limit: String(issue.maximum) };
    case 'invalid_format':
      return { rule: 'pattern' };
    case 'invalid_value':
      return { rule: 'enum' };
    default:
      return { rule: 'other' };
  }
}

function measureOf(origin: string): 'Items' | 'Length' | 'imum' {
  if (origin === 'array' || origin === 'set') return 'Items';
  return origin === 'string' ? 'Length' : 'imum';
}

function readAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  );
}
