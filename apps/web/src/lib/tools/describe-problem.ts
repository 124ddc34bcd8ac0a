import type { Problem, ToolDefinition } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';
import type { ConfigError } from './check-config.ts';
import type { Finding, LocalProblem } from './find-problems.ts';
import { findDefinition } from './place-tools.ts';
import { nameTool } from './tool-words.ts';

/** A problem as it is shown. `isMissing`: something was not entered yet, which is not held against a new entry. */
export interface ShownProblem extends Problem {
  readonly isMissing: boolean;
}

/** Says what was found here, and adds what only the server can know. */
export function describeProblems(
  local: readonly LocalProblem[],
  server: readonly Problem[],
  definitions: readonly ToolDefinition[],
  { knowsTemplate }: { knowsTemplate: boolean },
): ShownProblem[] {
  const said = local.map(({ severity, path, finding }) => ({
    severity,
    path,
    message: describeFinding(finding, definitions),
    isMissing: finding.code === 'config' && ['required', 'minItems'].includes(finding.error.rule),
  }));
  const seen = new Set(local.map(({ path }) => path));
  const others = server.filter(
    ({ path, severity }) => !seen.has(path) && !isFoundHere(path, severity === 'warning' && !knowsTemplate),
  );
  return [...said, ...others.map((problem) => ({ ...problem, isMissing: false }))];
}

/** Paths whose rules are all known here: what the server said about them before is outdated by now. */
function isFoundHere(path: string, isAboutUnknownTemplate: boolean): boolean {
  if (/^tools\.\d+\.placeholder$/.test(path)) return !isAboutUnknownTemplate;
  return path === 'prompt_template' || /^tools\.\d+\.(type|mode|config)$/.test(path);
}

function describeFinding(finding: Finding, definitions: readonly ToolDefinition[]): string {
  const titleOf = (type: string) => {
    const definition = findDefinition(definitions, type);
    return definition ? nameTool(definition) : type;
  };
  const brace = (name: string) => `{${name}}`;
  switch (finding.code) {
    case 'unknown_tool':
      return m.tools_problem_unknown({ type: finding.type });
    case 'not_context':
      return m.tools_problem_not_context();
    case 'not_function':
      return m.tools_problem_not_function();
    case 'name_grammar':
      return m.tools_problem_grammar();
    case 'name_user_input':
      return m.tools_problem_user_input_name();
    case 'name_reserved':
      return m.tools_problem_reserved({ name: brace(finding.name) });
    case 'name_taken':
      return m.tools_problem_taken({ name: brace(finding.name), tool: titleOf(finding.by) });
    case 'unfilled':
      return m.tools_problem_unfilled({ name: brace(finding.name) });
    case 'unused':
      return m.tools_problem_unused({ name: brace(finding.name) });
    case 'no_user_input':
      return m.tools_problem_no_user_input({ name: '{user_input}' });
    case 'self_reference':
      return m.tools_problem_self({ name: brace(finding.names[0] ?? '') });
    case 'cycle':
      return m.tools_problem_cycle({ names: finding.names.map(brace).join(', ') });
    case 'config':
      return describeConfigError(finding.error);
  }
}

function describeConfigError({ rule, wanted }: ConfigError): string {
  const limit = String(wanted);
  switch (rule) {
    case 'required':
      return m.tools_rule_required();
    case 'minItems':
      return m.tools_rule_min_items({ count: limit });
    case 'maxItems':
      return m.tools_rule_max_items({ count: limit });
    case 'minimum':
    case 'exclusiveMinimum':
      return m.tools_rule_minimum({ limit });
    case 'maximum':
    case 'exclusiveMaximum':
      return m.tools_rule_maximum({ limit });
    case 'minLength':
      return limit === '1' ? m.tools_rule_required() : m.tools_rule_min_length({ count: limit });
    case 'maxLength':
      return m.tools_rule_max_length({ count: limit });
    case 'pattern':
      return m.tools_rule_pattern();
    case 'enum':
      return m.tools_rule_enum();
    case 'type':
      return wanted === 'integer'
        ? m.tools_rule_integer()
        : wanted === 'number'
          ? m.tools_rule_number()
          : m.tools_rule_other();
    default:
      return m.tools_rule_other();
  }
}
