import { AppError, Rubric } from '@lamb/contract';
import { randomUUID } from 'node:crypto';

type JsonObject = Record<string, unknown>;

/** What a document says about an installation and not about the rubric. */
const foreign = new Set([
  'rubricId',
  'rubric_id',
  'id',
  'owner',
  'owner_email',
  'organization_id',
  'is_public',
  'is_showcase',
  'isPublic',
  'isShowcase',
  'parent_rubric_id',
  'created_at',
  'updated_at',
]);

/** Reads a rubric from a file of this or an older installation. What does not count here is left out and named. */
export function readRubricDocument(document: unknown): { rubric: Rubric; dropped: string[] } {
  const found = findRubric(typeof document === 'string' ? parse(document) : document);
  if (!found) throw invalid('It has no criteria.');
  const dropped = Object.keys(found).filter((key) => foreign.has(key));
  const own = Object.fromEntries(Object.entries(found).filter(([key]) => !foreign.has(key)));
  const parsed = Rubric.safeParse({ ...own, criteria: asList(own['criteria']).map(completeCriterion) });
  if (parsed.success) return { rubric: parsed.data, dropped };
  const problems = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw invalid(`“${problems[0]?.path ?? ''}”: ${problems[0]?.message ?? ''}`, { problems });
}

/** Exports wrap the rubric in different ways; the one inside is what has criteria. */
function findRubric(value: unknown, depth = 0): JsonObject | undefined {
  if (typeof value === 'string' && depth > 0 && value.trimStart().startsWith('{'))
    return findRubric(parse(value), depth + 1);
  if (!isObject(value) || depth > 3) return undefined;
  if (Array.isArray(value['criteria'])) return value;
  for (const key of ['rubric', 'rubric_data', 'data']) {
    const inside = findRubric(value[key], depth + 1);
    if (inside) return inside;
  }
  return undefined;
}

/** Older files leave ids and orders out, and write numbers as text. */
function completeCriterion(criterion: unknown, order: number): unknown {
  if (!isObject(criterion)) return criterion;
  return {
    order,
    ...criterion,
    id: typeof criterion['id'] === 'string' ? criterion['id'] : randomUUID(),
    weight: toNumber(criterion['weight']),
    levels: asList(criterion['levels']).map((level, index) =>
      isObject(level)
        ? {
            order: index,
            ...level,
            id: typeof level['id'] === 'string' ? level['id'] : randomUUID(),
            score: toNumber(level['score']),
          }
        : level,
    ),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''), (key, value: unknown) => (key === '__proto__' ? undefined : value));
  } catch (cause) {
    throw invalid('It is not JSON.', {}, cause);
  }
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(why: string, details: JsonObject = {}, cause?: unknown): AppError {
  return new AppError('invalid_request', {
    message: `This is no rubric that can be read. ${why}`,
    details: { param: 'document', ...details },
    cause,
  });
}
