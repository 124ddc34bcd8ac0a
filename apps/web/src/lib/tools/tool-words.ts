import type { ToolDefinition } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';
import type { Schema } from './schema.ts';

type Words = readonly [title: () => string, text: () => string];

/** Our own tools speak the person's language; others say what their authors wrote. */
const tools: Readonly<Record<string, Words>> = {
  simple_rag: [m.tools_simple_rag, m.tools_simple_rag_text],
  rubric_rag: [m.tools_rubric_rag, m.tools_rubric_rag_text],
  single_file_rag: [m.tools_single_file_rag, m.tools_single_file_rag_text],
  no_rag: [m.tools_no_rag, m.tools_no_rag_text],
  assistant: [m.tools_assistant, m.tools_assistant_text],
  weather: [m.tools_weather, m.tools_weather_text],
  moodle: [m.tools_moodle, m.tools_moodle_text],
  image_gen: [m.tools_image_gen, m.tools_image_gen_text],
  rubric_eval: [m.tools_rubric_eval, m.tools_rubric_eval_text],
  patch_file: [m.tools_patch_file, m.tools_patch_file_text],
};

const fields: Readonly<Record<string, Words>> = {
  'simple_rag.collections': [m.tools_collections, m.tools_collections_text],
  'simple_rag.top_k': [m.tools_top_k, m.tools_top_k_text],
  'simple_rag.threshold': [m.tools_threshold, m.tools_threshold_text],
  'simple_rag.query': [m.tools_query, m.tools_query_text],
  'simple_rag.rewrite_query': [m.tools_rewrite_query, m.tools_rewrite_query_text],
  'simple_rag.citations': [m.tools_citations, m.tools_citations_text],
  'simple_rag.name': [m.tools_model_name, m.tools_simple_rag_name_text],
  'simple_rag.description': [m.tools_contents, m.tools_contents_text],
  'rubric_rag.rubric_id': [m.tools_rubric, m.tools_rubric_text],
  'rubric_rag.format': [m.tools_format, m.tools_format_text],
  'rubric_rag.name': [m.tools_model_name, m.tools_rubric_rag_name_text],
  'rubric_eval.rubric_id': [m.tools_rubric, m.tools_rubric_eval_id_text],
  'single_file_rag.file_path': [m.tools_file, m.tools_file_text],
  'single_file_rag.max_chars': [m.tools_max_chars, m.tools_max_chars_text],
  'single_file_rag.name': [m.tools_model_name, m.tools_single_file_rag_name_text],
  'assistant.assistant_id': [m.tools_assistant_id, m.tools_assistant_id_text],
  'assistant.name': [m.tools_model_name, m.tools_assistant_name_text],
  'assistant.description': [m.tools_purpose, m.tools_purpose_text],
  'patch_file.max_chars': [m.tools_max_chars, m.tools_patch_max_chars_text],
};

const categories: Readonly<Record<string, () => string>> = {
  knowledge: m.tools_category_knowledge,
  rubric: m.tools_category_rubric,
  file: m.tools_category_file,
  assistant: m.tools_category_assistant,
  lms: m.tools_category_lms,
  utility: m.tools_category_utility,
};

/** What a tool is called. */
export function nameTool({ name, display_name }: Pick<ToolDefinition, 'name' | 'display_name'>): string {
  return lookUp(tools, name)?.[0]() ?? display_name;
}

/** What a tool is good for. */
export function describeTool({ name, description }: Pick<ToolDefinition, 'name' | 'description'>): string {
  return lookUp(tools, name)?.[1]() ?? description;
}

/** What a kind of tools is called. */
export function nameCategory(category: string): string {
  return lookUp(categories, category)?.() ?? category;
}

/** The label and the hint of a field; `path` is its place in the configuration, such as `filter.page`. */
export function wordField(type: string, path: string, schema: Schema): { label: string; hint: string | undefined } {
  const words = lookUp(fields, `${type}.${path}`);
  const hint = words?.[1]() ?? schema.description;
  return { label: words?.[0]() ?? schema.title ?? path.split('.').at(-1) ?? path, hint };
}

function lookUp<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
