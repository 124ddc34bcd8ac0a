import type { Source } from '@lamb/contract';

/** The list of sources that follows the context of a classic assistant. */
export function listAvailableSources(sources: readonly Source[]): string {
  if (sources.length === 0) return '';
  const lines = sources.map((source, index) => `${String(index + 1)}. ${describeSource(source)}`);
  return `\n\n## Available Sources\n${lines.join('\n')}`;
}

function describeSource({ title, url, similarity }: Source): string {
  const name = title.replaceAll(/\s+/g, ' ');
  const link = url === undefined ? name : `[${name}](${url})`;
  return similarity === undefined ? link : `${link} (similarity: ${similarity.toFixed(3)})`;
}
