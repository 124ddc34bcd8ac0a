export interface TextChunk {
  text: string;
  /** From 1; a form feed begins a new page. */
  page: number;
}

/** Paragraphs of each page, joined as long as they fit into `size` characters; a longer one is cut. */
export function chunkText(text: string, size: number): TextChunk[] {
  return text
    .split('\f')
    .flatMap((page, index) => joinParagraphs(page, size).map((each) => ({ text: each, page: index + 1 })));
}

function joinParagraphs(page: string, size: number): string[] {
  const chunks: string[] = [];
  for (const paragraph of page.split(/\n\s*\n/)) {
    for (let rest = paragraph.trim(); rest !== ''; rest = rest.slice(size).trim()) {
      const piece = rest.slice(0, size);
      const joined = `${chunks.at(-1) ?? ''}\n\n${piece}`;
      if (chunks.length > 0 && joined.length <= size) chunks[chunks.length - 1] = joined;
      else chunks.push(piece);
    }
  }
  return chunks;
}
