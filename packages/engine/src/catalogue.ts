import { canonicalConnectorName, canonicalToolName } from '@lamb/contract';
import type { Connector, PromptProcessor, Tool } from '@lamb/plugin-kit';

/** The plugins of an installation, by the names an assistant may use for them. */
export interface Catalogue {
  readonly tools: readonly Tool[];
  readonly connectors: readonly Connector[];
  readonly promptProcessors: readonly PromptProcessor[];
  findTool(name: string): Tool | undefined;
  findConnector(name: string): Connector | undefined;
  findPromptProcessor(name: string): PromptProcessor | undefined;
}

/** Indexes the plugins and refuses two of one kind with the same name. */
export function createCatalogue(plugins: {
  tools: readonly Tool[];
  connectors: readonly Connector[];
  promptProcessors: readonly PromptProcessor[];
}): Catalogue {
  const tools = indexByNames(plugins.tools, (tool) => [tool.name]);
  const connectors = indexByNames(plugins.connectors, (connector) => [connector.name]);
  const processors = indexByNames(plugins.promptProcessors, ({ name, aliases = [] }) => [name, ...aliases]);
  return {
    ...plugins,
    findTool: (name) => tools.get(canonicalToolName(name)),
    findConnector: (name) => connectors.get(canonicalConnectorName(name)),
    findPromptProcessor: (name) => processors.get(name),
  };
}

function indexByNames<Plugin>(plugins: readonly Plugin[], namesOf: (plugin: Plugin) => string[]): Map<string, Plugin> {
  const index = new Map<string, Plugin>();
  for (const plugin of plugins) {
    for (const name of namesOf(plugin)) {
      if (index.has(name)) throw new Error(`Two plugins are named “${name}”; rename one of them.`);
      index.set(name, plugin);
    }
  }
  return index;
}
