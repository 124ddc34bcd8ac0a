/** Names that tools had in earlier systems: read everywhere, never written. */
export const historicalToolNames: Readonly<Record<string, string>> = {
  rubric: 'rubric_rag',
  single_file: 'single_file_rag',
  no_tool: 'no_rag',
  'No RAG': 'no_rag',
  knowledge_base: 'simple_rag',
};

const historicalConnectorNames: Readonly<Record<string, string>> = {
  openai_tool_use: 'openai',
  openai_tools: 'openai',
};

/** The name under which a tool is registered and written today. */
export function canonicalToolName(name: string): string {
  return lookUp(historicalToolNames, name) ?? name;
}

/** The name under which a connector is registered and written today. */
export function canonicalConnectorName(name: string): string {
  return lookUp(historicalConnectorNames, name) ?? name;
}

function lookUp(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
