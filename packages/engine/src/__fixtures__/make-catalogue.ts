import type { PromptProcessor, Tool } from '@lamb/plugin-kit';
import { createCatalogue, type Catalogue } from '../catalogue.ts';
import { makeConnector } from './make-connector.ts';

const plain: PromptProcessor = { name: 'multi_augment', title: 'Plain', description: 'Adds nothing.' };
const classic: PromptProcessor = { name: 'simple_augment', title: 'Classic', description: 'Adds nothing.' };

/** A catalogue with the given tools and processors, one connector and two processors that add nothing. */
export function makeCatalogue(tools: readonly Tool[] = [], processors: readonly PromptProcessor[] = []): Catalogue {
  return createCatalogue({
    tools,
    connectors: [makeConnector()],
    promptProcessors: [plain, classic, ...processors],
  });
}
