import type { z } from 'zod';
import { isTooDeep } from '../json-depth.ts';
import { Limits, ToolEntry, type AssistantMetadata, type Problem } from './assistant-metadata.ts';
import { canonicalConnectorName, canonicalToolName } from './tool-names.ts';

/** The columns in which the classic system kept the settings of its one retrieval tool. */
export interface LegacyColumns {
  readonly ragCollections?: string | null | undefined;
  readonly ragTopK?: number | null | undefined;
}

export interface ReadMetadata {
  readonly metadata: AssistantMetadata;
  readonly problems: readonly Problem[];
}

type Json = Record<string, unknown>;

/** Keys of the classic shape that become a tool entry; a written document carries them only as a mirror. */
const CLASSIC_TOOL_KEYS = ['rag_processor', 'rubric_id', 'rubric_format', 'file_path'] as const;

/** Names that meant *context tool* in the shapes that had no `mode`. A closed list: new tools are written with their mode. */
const HISTORICAL_CONTEXT_TOOLS = new Set(['simple_rag', 'rubric_rag', 'single_file_rag', 'no_rag']);

/** Settings that the shapes `{type:"assistant", assistant_id, …}` and `{type:"knowledge_base", kb_id, …}` kept outside `config`. */
const SETTINGS_OUTSIDE_CONFIG: ReadonlyMap<string, readonly string[]> = new Map([
  ['assistant', ['assistant_id', 'name', 'description']],
  ['knowledge_base', ['kb_id', 'name', 'description']],
]);

/**
 * Reads metadata of any historical shape into the one that is written today. Never throws: what cannot be read becomes
 * a default and a problem that the assistant's creator sees.
 */
export function readMetadata(raw: unknown, columns: LegacyColumns = {}): ReadMetadata {
  const problems: Problem[] = [];
  const document = parseDocument(raw, problems);
  const listed = readToolList(document['tools'], problems);
  const multiTool = isMultiTool(document, listed);
  const kept: Json = { ...document };
  for (const key of CLASSIC_TOOL_KEYS) Reflect.deleteProperty(kept, key);

  const metadata: AssistantMetadata = {
    ...kept,
    _format_version: 2,
    assistant_type: multiTool ? 'multi_tool' : 'classic',
    prompt_processor: readName(document, 'prompt_processor', multiTool ? 'multi_augment' : 'simple_augment', problems),
    connector: canonicalConnectorName(readName(document, 'connector', 'openai', problems)),
    llm: readName(document, 'llm', '', problems),
    capabilities: readCapabilities(document['capabilities'], problems),
    verbose: document['verbose'] === true,
    tools: [...(multiTool ? [] : readClassicTool(document, columns)), ...listed],
  };
  Reflect.deleteProperty(metadata, 'limits');
  if (document['limits'] !== undefined) {
    const limits = Limits.safeParse(document['limits']);
    if (limits.success) metadata.limits = limits.data;
    else problems.push(...problemsOf(limits.error, 'limits', 'the limits are ignored'));
  }
  return { metadata, problems };
}

/** One early shape had a list of context tools and named no type: its template uses their placeholders, so it is multi-tool. */
function isMultiTool(document: Json, tools: readonly ToolEntry[]): boolean {
  const { assistant_type: type } = document;
  if (type === undefined || type === null) return tools.some(({ mode }) => mode === 'context');
  return type === 'multi_tool';
}

function parseDocument(raw: unknown, problems: Problem[]): Json {
  if (raw === null || raw === undefined || raw === '') return {};
  let value: unknown = raw;
  if (typeof raw === 'string') {
    if (isTooDeep(raw)) return refuseDocument('nested too deeply', problems);
    try {
      value = JSON.parse(raw);
    } catch {
      return refuseDocument('not valid JSON', problems);
    }
  }
  return isObject(value) ? value : refuseDocument('not a JSON object', problems);
}

function refuseDocument(what: string, problems: Problem[]): Json {
  problems.push({
    severity: 'error',
    path: '',
    code: 'unreadable_metadata',
    params: {},
    message: `The metadata is ${what}. Until that is corrected, the assistant works with defaults.`,
  });
  return {};
}

function readName(document: Json, key: string, fallback: string, problems: Problem[]): string {
  const value = document[key];
  if (value === undefined || value === null || value === '') return fallback;
  if (typeof value === 'string') return value;
  problems.push(unreadable(key, `“${key}” must be text; “${fallback}” is used instead.`));
  return fallback;
}

function readCapabilities(value: unknown, problems: Problem[]): AssistantMetadata['capabilities'] {
  if (value !== undefined && value !== null && !isObject(value)) {
    problems.push(unreadable('capabilities', '“capabilities” must be an object.'));
  }
  const given = isObject(value) ? value : {};
  return { ...given, vision: given['vision'] === true, image_generation: given['image_generation'] === true };
}

function readClassicTool(document: Json, columns: LegacyColumns): ToolEntry[] {
  // In a document of today's shape the classic keys only mirror `tools`.
  if (document['_format_version'] === 2) return [];
  const named = document['rag_processor'];
  if (typeof named !== 'string' || named === '') return [];
  const type = canonicalToolName(named);
  if (type === 'no_rag') return [];
  return [
    { type, mode: 'context', enabled: true, placeholder: 'context', config: classicConfig(type, document, columns) },
  ];
}

function classicConfig(type: string, document: Json, columns: LegacyColumns): Json {
  switch (type) {
    case 'rubric_rag':
      return withoutUndefined({
        rubric_id: toId(document['rubric_id']),
        format: document['rubric_format'] === 'json' ? 'json' : 'markdown',
      });
    case 'single_file_rag':
      return withoutUndefined({ file_path: document['file_path'] });
    default:
      return withoutUndefined({
        collections: (columns.ragCollections ?? '')
          .split(',')
          .map((id) => id.trim())
          .filter((id) => id !== ''),
        top_k: columns.ragTopK && columns.ragTopK > 0 ? columns.ragTopK : 3,
      });
  }
}

function readToolList(value: unknown, problems: Problem[]): ToolEntry[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    problems.push(unreadable('tools', '“tools” must be a list; it is ignored.'));
    return [];
  }
  return value.flatMap((entry: unknown, index) => {
    const candidate = toEntry(entry);
    const parsed = ToolEntry.safeParse(candidate);
    if (parsed.success) return [parsed.data];
    problems.push(...problemsOf(parsed.error, `tools.${String(index)}`, 'this tool is left out'));
    return [];
  });
}

function toEntry(entry: unknown): unknown {
  if (typeof entry === 'string') return toEntry({ type: entry });
  if (!isObject(entry)) return entry;
  const { plugin, ...given } = entry;
  const named = given['type'] ?? plugin;
  if (typeof named !== 'string') return { ...given, type: named };
  const type = canonicalToolName(named);
  const isContext = HISTORICAL_CONTEXT_TOOLS.has(type) && named !== 'knowledge_base';
  return {
    ...moveSettingsIntoConfig(named, given),
    type,
    mode: given['mode'] ?? (isContext ? 'context' : 'function'),
    enabled: given['enabled'] ?? true,
  };
}

function moveSettingsIntoConfig(named: string, given: Json): Json {
  const config = given['config'] ?? {};
  if (!isObject(config)) return given;
  const moved: Json = { ...config };
  const result: Json = { ...given, config: moved };
  for (const key of SETTINGS_OUTSIDE_CONFIG.get(named) ?? []) {
    if (given[key] === undefined) continue;
    if (key === 'kb_id') moved['collections'] = [toId(given[key])];
    else moved[key] = given[key];
    Reflect.deleteProperty(result, key);
  }
  return result;
}

function problemsOf(error: z.ZodError, path: string, consequence: string): Problem[] {
  return error.issues.map((issue) =>
    unreadable([path, ...issue.path.map(String)].join('.'), `${issue.message} (${consequence})`),
  );
}

function unreadable(path: string, message: string): Problem {
  return { severity: 'error', path, code: 'unreadable_value', params: { name: path }, message };
}

function toId(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

function withoutUndefined(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined && item !== null));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
