/** The part of JSON Schema that a tool's form is made of. Everything else of a schema is checked, too, but edited as JSON. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
  /** A better control than the type gives: `textarea`, `slider`, `collections`, `rubric`, `file`, `assistant`. */
  readonly 'x-widget'?: string;
  /** What the choices of `enum` are called. */
  readonly 'x-enumLabels'?: readonly string[];
  /** In which mode the field matters; without it in both. */
  readonly 'x-mode'?: string;
  /** What a new entry starts with, where that differs from the default. */
  readonly 'x-initial'?: unknown;
}

/** The control that a field gets. */
export type Control =
  | 'collections'
  | 'rubric'
  | 'file'
  | 'assistant'
  | 'choice'
  | 'text'
  | 'textarea'
  | 'number'
  | 'slider'
  | 'switch'
  | 'list'
  | 'group'
  | 'json';

const pickers: Readonly<Record<string, string>> = {
  collections: 'array',
  rubric: 'string',
  file: 'string',
  assistant: 'integer',
};
const simple = new Set(['string', 'number', 'integer']);
const LONG_TEXT = 300;

/** Chooses the control of a field. A widget that does not fit the type, and a type that the form does not know, never hide the field. */
export function controlOf(schema: Schema): Control {
  const { type, enum: choices, items, properties } = schema;
  const widget = schema['x-widget'] ?? '';
  if (Object.hasOwn(pickers, widget) && pickers[widget] === type) return widget as Control;
  if (choices) return choices.every((choice) => typeof choice === 'string') ? 'choice' : 'json';
  switch (type) {
    case 'string':
      return widget === 'textarea' || (widget === '' && (schema.maxLength ?? 0) > LONG_TEXT) ? 'textarea' : 'text';
    case 'number':
    case 'integer':
      return widget === 'slider' && schema.minimum !== undefined && schema.maximum !== undefined ? 'slider' : 'number';
    case 'boolean':
      return 'switch';
    case 'array':
      return items && !items.enum && typeof items.type === 'string' && simple.has(items.type) ? 'list' : 'json';
    case 'object':
      return properties && Object.keys(properties).length > 0 ? 'group' : 'json';
    default:
      return 'json';
  }
}

/** What a new entry of a tool starts with. Defaults are not written: the server knows them. */
export function initialConfig({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(properties)) {
    if (field['x-initial'] !== undefined) config[name] = structuredClone(field['x-initial']);
    else if (required.includes(name) && field.type === 'array' && field.default === undefined) config[name] = [];
  }
  return config;
}
