import type { ToolEntry } from '@lamb/contract';
import BookOpenCheck from '@lucide/svelte/icons/book-open-check';
import Code from '@lucide/svelte/icons/code';
import GraduationCap from '@lucide/svelte/icons/graduation-cap';
import Network from '@lucide/svelte/icons/network';
import School from '@lucide/svelte/icons/school';
import { m } from '#lib/paraglide/messages.js';
import { contextEntry, emptyDraft, type Draft } from './draft.ts';

/** A multi-tool assistant that somebody can begin with; its prompts are in the language of the page. */
export interface Template {
  readonly id: string;
  readonly icon: typeof Code;
  readonly title: () => string;
  readonly description: () => string;
  /** The types of its tools. */
  readonly tools: readonly string[];
  readonly begin: () => Draft;
}

const functionEntry = (type: string, config: Record<string, unknown> = {}): ToolEntry => ({
  type,
  mode: 'function',
  enabled: true,
  config,
});

function draftOf(parts: {
  name: string;
  description: string;
  systemPrompt: string;
  /** Headings with the placeholder that stands below each. */
  sections: readonly (readonly [heading: string, placeholder: string])[];
  tools: ToolEntry[];
  processor?: string;
  limits?: Record<string, number>;
}): Draft {
  const draft = emptyDraft('multi_tool');
  return {
    name: parts.name,
    description: parts.description,
    system_prompt: parts.systemPrompt,
    prompt_template: parts.sections.map(([heading, placeholder]) => `## ${heading}\n{${placeholder}}`).join('\n\n'),
    metadata: {
      ...draft.metadata,
      ...(parts.processor === undefined ? {} : { prompt_processor: parts.processor }),
      ...(parts.limits === undefined ? {} : { limits: parts.limits }),
      tools: parts.tools,
    },
  };
}

export const templates: readonly Template[] = [
  {
    id: 'course-tutor',
    icon: GraduationCap,
    title: m.assistants_template_tutor,
    description: m.assistants_template_tutor_hint,
    tools: ['simple_rag'],
    begin: () =>
      draftOf({
        name: m.assistants_template_tutor(),
        description: m.assistants_template_tutor_hint(),
        systemPrompt: m.assistants_template_tutor_prompt(),
        sections: [
          [m.assistants_template_materials(), 'context'],
          [m.assistants_template_question(), 'user_input'],
        ],
        tools: [contextEntry('simple_rag', 'context')],
        // Who learns asks on: “and why?” finds nothing by itself.
        processor: 'context_aware_augment',
      }),
  },
  {
    id: 'essay-evaluator',
    icon: BookOpenCheck,
    title: m.assistants_template_essay,
    description: m.assistants_template_essay_hint,
    tools: ['rubric_rag', 'simple_rag'],
    begin: () =>
      draftOf({
        name: m.assistants_template_essay(),
        description: m.assistants_template_essay_hint(),
        systemPrompt: m.assistants_template_essay_prompt(),
        sections: [
          [m.assistants_template_rubric(), 'rubric'],
          [m.assistants_template_materials(), 'context'],
          [m.assistants_template_work(), 'user_input'],
        ],
        tools: [
          { ...contextEntry('rubric_rag', 'rubric'), config: { format: 'markdown' } },
          contextEntry('simple_rag', 'context'),
        ],
      }),
  },
  {
    id: 'code-tutor',
    icon: Code,
    title: m.assistants_template_code,
    description: m.assistants_template_code_hint,
    tools: ['patch_file'],
    begin: () =>
      draftOf({
        name: m.assistants_template_code(),
        description: m.assistants_template_code_hint(),
        systemPrompt: m.assistants_template_code_prompt(),
        sections: [
          [m.assistants_template_files(), 'workspace'],
          [m.assistants_template_question(), 'user_input'],
        ],
        // Once to show the files with their line numbers, once to change them.
        tools: [contextEntry('patch_file', 'workspace'), functionEntry('patch_file')],
      }),
  },
  {
    id: 'orchestrator',
    icon: Network,
    title: m.assistants_template_orchestrator,
    description: m.assistants_template_orchestrator_hint,
    tools: ['assistant'],
    begin: () =>
      draftOf({
        name: m.assistants_template_orchestrator(),
        description: m.assistants_template_orchestrator_hint(),
        systemPrompt: m.assistants_template_orchestrator_prompt(),
        sections: [[m.assistants_template_question(), 'user_input']],
        tools: [functionEntry('assistant')],
        limits: { max_iterations: 6, max_calls: 12 },
      }),
  },
  {
    id: 'moodle-adviser',
    icon: School,
    title: m.assistants_template_moodle,
    description: m.assistants_template_moodle_hint,
    tools: ['moodle'],
    begin: () =>
      draftOf({
        name: m.assistants_template_moodle(),
        description: m.assistants_template_moodle_hint(),
        systemPrompt: m.assistants_template_moodle_prompt(),
        sections: [
          [m.assistants_template_courses(), 'moodle_courses'],
          [m.assistants_template_question(), 'user_input'],
        ],
        tools: [contextEntry('moodle', 'moodle_courses')],
      }),
  },
];
