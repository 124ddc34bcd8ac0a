import {
  PlaceholderName,
  USER_INPUT,
  canonicalToolName,
  type AssistantMetadata,
  type Problem,
  type ProblemCode,
  type ToolEntry,
} from '@lamb/contract';
import type { PromptProcessor, Tool } from '@lamb/plugin-kit';
import type { Catalogue } from './catalogue.ts';
import { findConfigProblems } from './find-config-problems.ts';
import { orderLevels } from './order-levels.ts';
import { planFunctions } from './plan-functions.ts';
import { CLASSIC_PLACEHOLDER, type Plan, type PlannedTool } from './plan.ts';
import { parseTemplate, placeholdersOf, type Template } from './template.ts';
import { unknownName } from './unknown-name.ts';

/** What of an assistant decides how it runs. */
export interface AssistantSource {
  readonly id: number;
  readonly systemPrompt: string;
  readonly promptTemplate: string;
  readonly metadata: AssistantMetadata;
}

const DEFAULT_TOOL_TIMEOUT_MS = 10_000;
const DEFAULT_DEADLINE_MS = 120_000;
const DEFAULT_ITERATIONS = 5;
const DEFAULT_CALLS = 20;

/**
 * Compiles an assistant into a plan, and says what is wrong with it. Pure: the same function validates on save and
 * prepares every turn, so what was saved is what runs.
 */
export function compilePlan(assistant: AssistantSource, catalogue: Catalogue): { plan: Plan; problems: Problem[] } {
  const { metadata } = assistant;
  const problems: Problem[] = [];
  const processor = findProcessor(metadata, catalogue, problems);
  if (!catalogue.findConnector(metadata.connector)) {
    problems.push(unknownName('connector', 'connector', metadata.connector, catalogue.connectors));
  }
  const entries = metadata.tools
    .map((entry, index) => ({ entry, path: `tools.${String(index)}` }))
    .filter(({ entry }) => entry.enabled);
  const functions = planFunctions(
    entries.filter(({ entry }) => entry.mode === 'function'),
    catalogue,
    problems,
  );
  const contextEntries = entries.filter(({ entry }) => entry.mode === 'context');
  const planned = planTools(contextEntries, metadata, catalogue, processor, problems);
  const { levels, cyclic } = orderLevels(planned);
  reportCycle(cyclic, problems);

  const template = assistant.promptTemplate === '' ? undefined : parseTemplate(assistant.promptTemplate);
  const plan: Plan = {
    assistantId: assistant.id,
    kind: metadata.assistant_type,
    systemPrompt: assistant.systemPrompt,
    template,
    levels: [...brokenLevel(cyclic), ...levels.map((level) => level.map(({ tool }) => tool))],
    processor,
    connector: metadata.connector,
    model: metadata.llm,
    vision: metadata.capabilities.vision,
    verbose: metadata.verbose,
    deadlineMs: metadata.limits?.deadline_ms ?? DEFAULT_DEADLINE_MS,
    functions,
    limits: {
      maxIterations: metadata.limits?.max_iterations ?? DEFAULT_ITERATIONS,
      maxCalls: metadata.limits?.max_calls ?? DEFAULT_CALLS,
    },
  };
  reportTemplateUse(plan, template, planned, processor, problems);
  return { plan, problems };
}

interface PlacedEntry {
  readonly entry: ToolEntry;
  readonly path: string;
}

interface PlacedTool {
  readonly tool: PlannedTool;
  readonly placeholder: string;
  readonly needs: readonly string[];
  readonly path: string;
}

function findProcessor(metadata: AssistantMetadata, catalogue: Catalogue, problems: Problem[]): PromptProcessor {
  const found = catalogue.findPromptProcessor(metadata.prompt_processor);
  if (found) return found;
  problems.push(
    unknownName('prompt processor', 'prompt_processor', metadata.prompt_processor, catalogue.promptProcessors),
  );
  return { name: metadata.prompt_processor, title: metadata.prompt_processor, description: '' };
}

function planTools(
  entries: readonly PlacedEntry[],
  metadata: AssistantMetadata,
  catalogue: Catalogue,
  processor: PromptProcessor,
  problems: Problem[],
): PlacedTool[] {
  const classic = metadata.assistant_type === 'classic';
  if (classic) reportClassicTools(entries, problems);
  const taken = new Set([USER_INPUT, ...(processor.placeholders ?? [])]);
  for (const { entry } of entries) if (entry.placeholder !== undefined) taken.add(entry.placeholder);
  const claimed = new Map<string, PlacedEntry>();
  return entries.map(({ entry, path }) => {
    const tool = catalogue.findTool(entry.type);
    const ownPlaceholder = classic ? CLASSIC_PLACEHOLDER : (tool?.context?.placeholder ?? entry.type);
    const placeholder = entry.placeholder ?? freePlaceholder(ownPlaceholder, taken);
    // Nobody chose the placeholder of an unknown tool; that the tool is unknown is said elsewhere.
    if (tool || entry.placeholder !== undefined) {
      reportPlaceholder(placeholder, { entry, path }, claimed, processor, problems);
    }
    return planTool(entry, tool, placeholder, path, catalogue, problems);
  });
}

function reportClassicTools(entries: readonly PlacedEntry[], problems: Problem[]): void {
  if (entries.length > 1) {
    problems.push({
      severity: 'error',
      path: 'tools',
      code: 'classic_tools',
      params: {},
      message: 'A classic assistant has one context tool. Keep one, or make it a multi-tool assistant.',
    });
  }
  for (const { entry, path } of entries) {
    if (entry.placeholder === undefined || entry.placeholder === CLASSIC_PLACEHOLDER) continue;
    problems.push({
      severity: 'error',
      path: `${path}.placeholder`,
      code: 'classic_placeholder',
      params: { name: CLASSIC_PLACEHOLDER },
      message: `In a classic assistant the tool fills {${CLASSIC_PLACEHOLDER}}. Name that, or make it a multi-tool assistant.`,
    });
  }
}

function planTool(
  entry: ToolEntry,
  tool: Tool | undefined,
  placeholder: string,
  path: string,
  catalogue: Catalogue,
  problems: Problem[],
): PlacedTool {
  const shared = {
    type: canonicalToolName(entry.type),
    placeholder,
    timeoutMs: entry.timeout_ms ?? tool?.context?.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
    fallback: entry.fallback ?? '',
    writtenConfig: entry.config,
  };
  const broken = (message: string): PlacedTool => ({
    tool: { ...shared, ready: { problem: { code: 'invalid_config', message } } },
    placeholder,
    needs: [],
    path,
  });
  if (!tool) {
    const problem = unknownName('tool', `${path}.type`, entry.type, catalogue.tools);
    problems.push(problem);
    return broken(problem.message);
  }
  if (!tool.context) {
    const message = `“${tool.name}” cannot gather context; set its mode to “function”.`;
    problems.push({ severity: 'error', path: `${path}.mode`, code: 'not_context', params: {}, message });
    return broken(message);
  }
  const parsed = tool.config.safeParse(entry.config);
  if (!parsed.success) {
    const found = findConfigProblems(parsed.error, entry.config, path);
    problems.push(...found);
    return broken(`Its configuration is not valid: ${found.map(({ message }) => message).join(' ')}`);
  }
  const templates = templatedFields(tool, parsed.data);
  return {
    tool: { ...shared, ready: { tool, config: parsed.data, templates } },
    placeholder,
    needs: [...new Set([...templates.values()].flatMap(placeholdersOf))],
    path,
  };
}

function templatedFields(tool: Tool, config: Readonly<Record<string, unknown>>): Map<string, Template> {
  const templates = new Map<string, Template>();
  for (const field of tool.templated ?? []) {
    const value = config[field];
    if (typeof value === 'string') templates.set(field, parseTemplate(value));
  }
  return templates;
}

function freePlaceholder(wanted: string, taken: Set<string>): string {
  let candidate = wanted;
  for (let number = 2; taken.has(candidate); number += 1) candidate = `${wanted}_${String(number)}`;
  taken.add(candidate);
  return candidate;
}

function reportPlaceholder(
  placeholder: string,
  placed: PlacedEntry,
  claimed: Map<string, PlacedEntry>,
  processor: PromptProcessor,
  problems: Problem[],
): void {
  const at = `${placed.path}.placeholder`;
  const refuse = (code: ProblemCode, params: Record<string, string>, message: string) =>
    problems.push({ severity: 'error', path: at, code, params, message });
  const parsed = PlaceholderName.safeParse(placeholder);
  const params = { name: placeholder };
  if (!parsed.success) refuse('name_grammar', params, parsed.error.issues.map((issue) => issue.message).join(' '));
  if (placeholder === USER_INPUT) {
    refuse('name_user_input', params, '{user_input} is the person’s message; give the tool another placeholder.');
  }
  if (processor.placeholders?.includes(placeholder)) {
    refuse(
      'name_reserved',
      params,
      `{${placeholder}} is filled by the prompt processor ${processor.name}; give the tool another placeholder.`,
    );
  }
  const earlier = claimed.get(placeholder);
  if (earlier !== undefined) {
    const by = canonicalToolName(earlier.entry.type);
    const message = `{${placeholder}} is already filled by ${earlier.path}; give each tool its own.`;
    refuse('name_taken', { ...params, by }, message);
  }
  claimed.set(placeholder, placed);
}

function reportCycle(cyclic: readonly PlacedTool[], problems: Problem[]): void {
  const refersToItself = ({ placeholder, needs }: PlacedTool) => needs.includes(placeholder);
  const names = cyclic.filter((item) => !refersToItself(item)).map(({ placeholder }) => `{${placeholder}}`);
  for (const item of cyclic) {
    const at = { severity: 'error', path: `${item.path}.config` } as const;
    if (refersToItself(item)) {
      const message = `{${item.placeholder}} refers to itself; remove the reference.`;
      problems.push({ ...at, code: 'self_reference', params: { name: item.placeholder }, message });
    } else {
      const message = `${names.join(', ')} wait for each other; remove one of the references.`;
      problems.push({ ...at, code: 'cycle', params: { names: names.join(', ') }, message });
    }
  }
}

function brokenLevel(cyclic: readonly PlacedTool[]): PlannedTool[][] {
  if (cyclic.length === 0) return [];
  const problem = { code: 'invalid_config' as const, message: 'It waits for a tool that waits for it.' };
  return [cyclic.map(({ tool }) => ({ ...tool, ready: { problem } }))];
}

function reportTemplateUse(
  plan: Plan,
  template: Template | undefined,
  planned: readonly PlacedTool[],
  processor: PromptProcessor,
  problems: Problem[],
): void {
  const inTemplate = new Set(template ? placeholdersOf(template) : []);
  const inTools = new Set(planned.flatMap(({ needs }) => needs));
  const filled = new Set([USER_INPUT, ...(processor.placeholders ?? []), ...planned.map((item) => item.placeholder)]);
  for (const name of inTemplate) {
    if (filled.has(name) || plan.kind === 'classic') continue;
    problems.push({
      severity: 'warning',
      path: 'prompt_template',
      code: 'unfilled',
      params: { name },
      message: `Nothing fills {${name}}; it will be left out of the prompt.`,
    });
  }
  for (const { needs, placeholder, path } of planned) {
    for (const name of needs) {
      if (filled.has(name)) continue;
      problems.push({
        severity: 'warning',
        path: `${path}.config`,
        code: 'unfilled',
        params: { name },
        message: `Nothing fills {${name}}; it will be left out.`,
      });
    }
    if (inTemplate.has(placeholder) || inTools.has(placeholder)) continue;
    problems.push({
      severity: 'warning',
      path: `${path}.placeholder`,
      code: 'unused',
      params: { name: placeholder },
      message: `The template does not use {${placeholder}}, so what this tool finds does not reach the model.`,
    });
  }
  if (template && !inTemplate.has(USER_INPUT)) {
    problems.push({
      severity: 'warning',
      path: 'prompt_template',
      code: 'no_user_input',
      params: { name: USER_INPUT },
      message: 'The template does not use {user_input}, so the model will not see the person’s message.',
    });
  }
}
