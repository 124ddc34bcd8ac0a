import { m } from '#lib/paraglide/messages.js';

type Words = readonly [title: () => string, text: () => string];

/** Our own connectors speak the person's language; others say what their authors wrote. */
const words: Readonly<Record<string, Words>> = {
  openai: [m.assistants_connector_openai, m.assistants_connector_openai_text],
  anthropic: [() => 'Anthropic', m.assistants_connector_anthropic_text],
  ollama: [() => 'Ollama', m.assistants_connector_ollama_text],
  banana_img: [m.assistants_connector_images, m.assistants_connector_images_text],
  bypass: [m.assistants_connector_bypass, m.assistants_connector_bypass_text],
};

/** What a connector to a provider is called. */
export function nameConnector(name: string, title: string): string {
  return (Object.hasOwn(words, name) ? words[name] : undefined)?.[0]() ?? title;
}

/** What a connector is good for. */
export function describeConnector(name: string, description: string): string {
  return (Object.hasOwn(words, name) ? words[name] : undefined)?.[1]() ?? description;
}
