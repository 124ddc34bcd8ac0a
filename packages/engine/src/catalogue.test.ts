import { describe, expect, it } from 'vitest';
import { makeConnector } from './__fixtures__/make-connector.ts';
import { makeTool } from './__fixtures__/make-tool.ts';
import { createCatalogue } from './catalogue.ts';

const processor = { name: 'multi_augment', aliases: ['tool_augment'], title: 'Multi', description: '' };

describe('createCatalogue', () => {
  const rubric = makeTool('rubric_rag');
  const connector = { ...makeConnector(), name: 'openai' };
  const catalogue = createCatalogue({ tools: [rubric], connectors: [connector], promptProcessors: [processor] });

  it('finds plugins by today’s names and by the historical ones', () => {
    expect(catalogue.findTool('rubric_rag')).toBe(rubric);
    expect(catalogue.findTool('rubric')).toBe(rubric);
    expect(catalogue.findConnector('openai_tool_use')).toBe(connector);
    expect(catalogue.findPromptProcessor('tool_augment')).toBe(processor);
  });

  it.each(['Rubric_rag', 'constructor', '__proto__', ''])('does not find %j', (name) => {
    expect(catalogue.findTool(name)).toBeUndefined();
    expect(catalogue.findConnector(name)).toBeUndefined();
    expect(catalogue.findPromptProcessor(name)).toBeUndefined();
  });

  it('refuses two plugins of one name', () => {
    const twice = { tools: [rubric, makeTool('rubric_rag')], connectors: [], promptProcessors: [] };
    expect(() => createCatalogue(twice)).toThrow('Two plugins are named “rubric_rag”; rename one of them.');
    const clash = { tools: [], connectors: [], promptProcessors: [processor, { ...processor, name: 'tool_augment' }] };
    expect(() => createCatalogue(clash)).toThrow('“tool_augment”');
  });
});
