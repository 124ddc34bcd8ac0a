import type { OfficeContentNode } from 'officeparser';

const longestLine = 100;

/**
 * Takes away what stands at the top or the foot of most pages: running titles, page numbers, licences. Numbers differ
 * from page to page in what is otherwise the same line; not so in headings ("Exercise 1" is not "Exercise 2").
 */
export function dropRunningLines(
  pages: OfficeContentNode[][],
  isHeading: (node: OfficeContentNode) => boolean,
): OfficeContentNode[][] {
  const patternOf = (node: OfficeContentNode | undefined): string => {
    const text = node?.text?.trim() ?? '';
    if (node === undefined || node.type === 'table' || text.length > longestLine) return '';
    return isHeading(node) ? text : text.replaceAll(/\d+/g, '#');
  };
  let left = pages;
  for (const place of [0, -1]) {
    const counts = new Map<string, number>();
    for (const page of left) {
      const pattern = patternOf(page.at(place));
      if (pattern !== '') counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
    }
    const isRunning = (node: OfficeContentNode | undefined) =>
      (counts.get(patternOf(node)) ?? 0) >= Math.max(4, pages.length * 0.6);
    left = left.map((page, index) =>
      // A page of a line or two has no frame: what stands there is its content.
      (pages[index]?.length ?? 0) > 2 && isRunning(page.at(place)) ? page.toSpliced(place, 1) : page,
    );
  }
  return left;
}
