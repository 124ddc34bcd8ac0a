import { Validator, type OutputUnit, type Schema } from '@cfworker/json-schema';
import { readPointer } from './read-pointer.ts';

/** One thing that a configuration's schema refuses. */
export interface ConfigError {
  /** `collections.0`: steps joined by dots, as the server reports them. */
  readonly path: string;
  /** The rule of JSON Schema that is broken, such as `minItems`. */
  readonly rule: string;
  /** What the rule asks for, such as the least number. */
  readonly wanted: unknown;
}

/** Rules that only say that something below is wrong, which is reported there. */
const containers = new Set(['properties', 'items', 'prefixItems', 'additionalProperties', '$ref', 'allOf']);

const validators = new WeakMap<object, { schema: Schema; validator: Validator }>();

/** Checks a configuration against the schema that the server made from its own. */
export function checkConfig(schema: object, config: unknown): ConfigError[] {
  const known = validators.get(schema) ?? prepare(schema);
  // The validator throws on `undefined`, which a field has that was emptied.
  const written: unknown = JSON.parse(JSON.stringify(config ?? {}));
  const { errors } = known.validator.validate(written);
  const found = errors
    .filter(({ keyword }) => !containers.has(keyword))
    .flatMap((unit) => toErrors(unit, known.schema));
  return found.filter((error, index) => {
    if (error.rule === 'type' && isReadAnyway(readPointer(written, toPointer(error.path)), error.wanted)) return false;
    // One sentence for each field: what is not even of its type breaks other rules as well.
    return found.findIndex(({ path }) => path === error.path) === index;
  });
}

function prepare(schema: object): { schema: Schema; validator: Validator } {
  // The validator writes into the schema it is given.
  const own = JSON.parse(JSON.stringify(schema)) as Schema;
  const known = {
    schema: JSON.parse(JSON.stringify(schema)) as Schema,
    validator: new Validator(own, '2020-12', false),
  };
  validators.set(schema, known);
  return known;
}

function toErrors({ keyword, keywordLocation, instanceLocation, error }: OutputUnit, schema: Schema): ConfigError[] {
  const path = toPath(instanceLocation);
  const wanted = readPointer(schema, keywordLocation);
  if (keyword !== 'required') return [{ path, rule: keyword, wanted }];
  const name = /"(.+)"/.exec(error)?.[1] ?? '';
  return [{ path: path === '' ? name : `${path}.${name}`, rule: 'required', wanted: name }];
}

/** Ids were numbers in earlier systems, and the other way round: the server reads both. */
function isReadAnyway(value: unknown, wanted: unknown): boolean {
  if (wanted === 'string') return Number.isInteger(value);
  return wanted === 'integer' && typeof value === 'string' && /^\d{1,15}$/.test(value);
}

function toPath(pointer: string): string {
  return pointer
    .replace(/^#\/?/, '')
    .split('/')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

function toPointer(path: string): string {
  return path === '' ? '#' : `#/${path.replaceAll('.', '/')}`;
}
