/** A named field of a JSON Schema. */
export interface Field {
  readonly path: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Every named field at any depth of a JSON Schema. */
export function listFields(schema: unknown, path = ''): Field[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key !== 'properties' || typeof value !== 'object' || value === null) return listFields(value, path);
    return Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
      const at = path === '' ? name : `${path}.${name}`;
      return [{ path: at, schema: field as Field['schema'] }, ...listFields(field, at)];
    });
  });
}
