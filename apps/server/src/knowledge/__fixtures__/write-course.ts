const nouns = ['osmosis', 'entropy', 'photosynthesis', 'inflation', 'recursion', 'sonnet', 'treaty', 'enzyme'];
const verbs = ['explains', 'limits', 'precedes', 'contradicts', 'measures', 'follows', 'describes'];

/** A text in Markdown with so many sections, each of which becomes one passage that no other text has. */
export function writeCourse(name: string, sections: number): string {
  const parts = Array.from({ length: sections }, (_, section) => {
    const sentences = Array.from({ length: 4 }, (_each, index) => {
      const place = section * 4 + index;
      const [noun, verb] = [nouns[place % nouns.length], verbs[(place * 3) % verbs.length]];
      return `In lesson ${name}-${String(section)} the ${String(noun)} ${String(verb)} case ${name}${String(place)}.`;
    });
    return `## Section ${String(section)} of ${name}\n\n${sentences.join(' ')}`;
  });
  return `# Course ${name}\n\n${parts.join('\n\n')}\n`;
}
