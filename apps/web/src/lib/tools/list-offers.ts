import type { ToolDefinition, ToolEntry } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';
import type { Offer } from './offer.ts';
import { findDefinition, placeTools } from './place-tools.ts';
import { USER_INPUT } from './placeholders.ts';
import { nameTool } from './tool-words.ts';

/** The placeholders that something fills: each tool's, the prompt processor's, the person's message. */
export function listOffers(
  tools: readonly ToolEntry[],
  definitions: readonly ToolDefinition[],
  reserved: readonly string[] = [],
): Offer[] {
  const placed = placeTools(tools, definitions, reserved).map(({ placeholder, type }) => {
    const definition = findDefinition(definitions, type);
    return { name: placeholder, type, text: definition ? nameTool(definition) : type };
  });
  const others = [
    ...reserved.map((name) => ({ name, type: undefined, text: m.tools_filled_by_processor() })),
    { name: USER_INPUT, type: undefined, text: m.tools_filled_by_person() },
  ];
  const all: Offer[] = [...placed, ...others];
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
}
