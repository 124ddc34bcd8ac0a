import type { OfficeContentNode } from 'officeparser';

/** Page numbers differ from page to page in what is otherwise the same line; "Exercise 1" and "Exercise 2" are headings. */
function patternOf(node: OfficeContentNode | undefined): string {
  const text = node === undefined || node.type === 'table' ? '' : (node.text ?? '').trim();
  return node?.type === 'heading' ? text : text.replaceAll(/\d+/g, '#');
}

/** Takes away what stands at the top or the foot of most pages: running titles, page numbers, licences. */
export function dropRunningLines(pages: OfficeContentNode[][]): OfficeContentNode[][] {
  let left = pages;
  for (const place of [0, -1]) {
    const counts = new Map<string, number>();
    for (const page of left) {
      const pattern = patternOf(page.at(place));
      if (pattern !== '' && pattern.length <= 200) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
    }
    const isRunning = (node: OfficeContentNode | undefined) =>
      (counts.get(patternOf(node)) ?? 0) >= Math.max(4, pages.length * 0.6);
    left = left.map((page) =>
      // A page on which nothing else stands keeps its line.
      page.length > 1 && isRunning(page.at(place)) ? page.toSpliced(place, 1) : page,
    );
  }
  return left;
}
