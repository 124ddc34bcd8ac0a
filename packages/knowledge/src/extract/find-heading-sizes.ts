import type { OfficeContentNode } from 'officeparser';

interface Look {
  size: number;
  bold: boolean;
  characters: number;
}

/** How a heading may look: larger than the text, or as large and bold. The index is the level, from 0. */
export interface HeadingSizes {
  body: number;
  sizes: number[];
  boldIsHeading: boolean;
}

const longestHeading = 200;

function* looksOf(node: OfficeContentNode): Generator<Look> {
  if (node.type === 'text') {
    const size = Number.parseFloat(node.formatting?.size ?? '');
    const characters = node.text?.trim().length ?? 0;
    // Half points are noise of the scaling that printers do.
    if (Number.isFinite(size) && characters > 0)
      yield { size: Math.round(size * 2) / 2, bold: node.formatting?.bold === true, characters };
    return;
  }
  for (const child of node.children ?? []) yield* looksOf(child);
}

/** The look of a node that could be a heading: short, of one size, not a sentence. */
function lookOfHeading(node: OfficeContentNode): Look | null {
  if (node.type !== 'paragraph' && node.type !== 'heading') return null;
  const text = node.text?.trim() ?? '';
  if (text === '' || text.length > longestHeading || /[.,;:]$/.test(text) || !/\p{L}|\p{N}/u.test(text)) return null;
  const looks = [...looksOf(node)];
  const [first] = looks;
  if (first === undefined || looks.some(({ size }) => size !== first.size)) return null;
  return { ...first, bold: looks.every(({ bold }) => bold) };
}

/** Finds which sizes of letters are those of headings: the ones above the size that most of the text has. */
export function findHeadingSizes(nodes: OfficeContentNode[]): HeadingSizes {
  const characters = new Map<number, number>();
  let bold = 0;
  let all = 0;
  for (const look of nodes.flatMap((node) => [...looksOf(node)])) {
    characters.set(look.size, (characters.get(look.size) ?? 0) + look.characters);
    all += look.characters;
    if (look.bold) bold += look.characters;
  }
  const [body] = [...characters].reduce((most, next) => (next[1] > most[1] ? next : most), [0, 0]);
  const sizes = new Set<number>();
  for (const node of nodes) {
    const look = lookOfHeading(node);
    if (look !== null && look.size >= body * 1.08) sizes.add(look.size);
  }
  return {
    body,
    sizes: [...sizes].sort((a, b) => b - a),
    // Where much is bold, bold says nothing.
    boldIsHeading: bold < all * 0.2,
  };
}

/** The level of a node that looks like a heading, from 1 to 6; null for everything else. */
export function headingLevelOf(node: OfficeContentNode, { body, sizes, boldIsHeading }: HeadingSizes): number | null {
  const look = lookOfHeading(node);
  if (look === null) return null;
  const index = sizes.indexOf(look.size);
  if (index !== -1) return Math.min(6, index + 1);
  return boldIsHeading && look.bold && look.size >= body ? Math.min(6, sizes.length + 1) : null;
}
