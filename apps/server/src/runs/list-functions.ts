import { readMetadata, type XrayFunction } from '@lamb/contract';
import type { Catalogue } from '@lamb/engine';
import { describeFunction } from '@lamb/plugin-kit';

/** The functions that an assistant, as it was, offered to the model. */
export function listFunctions(writtenMetadata: string, catalogue: Catalogue): XrayFunction[] {
  const { metadata } = readMetadata(writtenMetadata);
  return metadata.tools.flatMap(({ type, mode, enabled, config: written }, index) => {
    const tool = enabled && mode === 'function' ? catalogue.findTool(type) : undefined;
    const config = tool?.config.safeParse(written);
    const spec = tool && config?.success ? describeFunction(tool, config.data) : undefined;
    return tool && spec ? [{ index, tool: tool.name, name: spec.name }] : [];
  });
}
