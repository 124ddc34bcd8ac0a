import type { ProblemCode, ToolDefinition } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';
import type { LocalProblem } from './find-problems.ts';
import { nameType } from './name-type.ts';

type Params = Readonly<Record<string, string>>;

/** What each code means. Whatever stands in braces in a prompt is shown in braces. */
const words: Readonly<Record<ProblemCode, (params: Params, definitions: readonly ToolDefinition[]) => string>> = {
  unreadable_metadata: () => m.tools_problem_unreadable_metadata(),
  unreadable_value: ({ name = '' }) => m.tools_problem_unreadable_value({ name }),
  unknown_tool: ({ name = '' }) => m.tools_problem_unknown({ type: name }),
  unknown_connector: ({ name = '' }) => m.tools_problem_connector({ name }),
  unknown_processor: ({ name = '' }) => m.tools_problem_processor({ name }),
  not_context: () => m.tools_problem_not_context(),
  not_function: () => m.tools_problem_not_function(),
  config: describeRule,
  function_name: ({ name = '' }) => m.tools_problem_function_name({ name }),
  function_name_taken: ({ name = '' }) => m.tools_problem_function_taken({ name }),
  classic_tools: () => m.tools_problem_classic_tools(),
  classic_placeholder: (params) => m.tools_problem_classic_placeholder({ name: brace(params) }),
  name_grammar: () => m.tools_problem_grammar(),
  name_user_input: () => m.tools_problem_user_input_name(),
  name_reserved: (params) => m.tools_problem_reserved({ name: brace(params) }),
  name_taken: (params, definitions) =>
    m.tools_problem_taken({ name: brace(params), tool: nameType(params['by'] ?? '', definitions) }),
  self_reference: (params) => m.tools_problem_self({ name: brace(params) }),
  cycle: ({ names = '' }) => m.tools_problem_cycle({ names }),
  unfilled: (params) => m.tools_problem_unfilled({ name: brace(params) }),
  unused: (params) => m.tools_problem_unused({ name: brace(params) }),
  no_user_input: (params) => m.tools_problem_no_user_input({ name: brace(params) }),
  sources_left_out: (params) => m.tools_problem_sources_left_out({ name: brace(params) }),
  callee_self: () => m.tools_problem_callee_self(),
  callee_missing: ({ id = '' }) => m.tools_problem_callee_missing({ id }),
  callee_uses_tools: ({ id = '' }) => m.tools_problem_callee_uses_tools({ id }),
  callees_too_many: ({ count = '' }) => m.tools_problem_callees_too_many({ count }),
};

/** Says in the person's language what was found, here or by the server. */
export function describeProblem({ code, params }: LocalProblem, definitions: readonly ToolDefinition[]): string {
  return words[code](params, definitions);
}

function brace({ name = '' }: Params): string {
  return `{${name}}`;
}

function describeRule({ rule = '', limit = '' }: Params): string {
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
      return limit === 'integer'
        ? m.tools_rule_integer()
        : limit === 'number'
          ? m.tools_rule_number()
          : m.tools_rule_other();
    default:
      return m.tools_rule_other();
  }
}
