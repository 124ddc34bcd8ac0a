import { expect, type Page } from '@playwright/test';

/** Nothing scrolls sideways at 320 px, and no text is cut off when it is twice as large. */
export async function expectFitting(page: Page): Promise<void> {
  expect(await findMisfits(page)).toEqual([]);
}

/** What does not fit into 320 px, or when text is twice as large. */
export async function findMisfits(page: Page): Promise<string[]> {
  const before = page.viewportSize();
  const found: string[] = [];
  const note = (where: string, misfits: readonly string[]) => found.push(...misfits.map((each) => `${where}: ${each}`));
  await page.setViewportSize({ width: 320, height: 700 });
  note('wider than 320 px', await findOverflow(page));
  if (before) await page.setViewportSize({ width: Math.max(before.width, 640), height: before.height });
  await enlargeText(page, 2);
  note('wider than the screen at 200 % text', await findOverflow(page));
  note('cut off at 200 % text', await findCutText(page));
  await enlargeText(page, 1);
  if (before) await page.setViewportSize(before);
  return found;
}

/** As the size of text in the browser's settings does it. */
async function enlargeText(page: Page, factor: number): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  await browser.send('Page.setFontSizes', { fontSizes: { standard: 16 * factor, fixed: 13 * factor } });
  await browser.detach();
}

async function findOverflow(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .slice(0, 5)
      .map((element) => `${element.tagName} ${element.getAttribute('class')?.slice(0, 120) ?? ''}`);
  });
}

/** Elements that hide a part of their own text, or whose text sticks out of them. What is shortened on purpose with an ellipsis is not meant. */
async function findCutText(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const isCut = (element: HTMLElement): boolean => {
      const style = getComputedStyle(element);
      const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== '');
      const isForReaders = element.clientWidth <= 1;
      if (!hasText || isForReaders || style.display === 'inline') return false;
      const isShortened = style.webkitLineClamp !== 'none' || style.textOverflow === 'ellipsis';
      const hidesDown = ['hidden', 'clip'].includes(style.overflowY);
      const isScrolled = ['auto', 'scroll'].includes(style.overflowX);
      return (
        (hidesDown && !isShortened && element.scrollHeight > element.clientHeight + 2) ||
        (!isScrolled && !isShortened && element.scrollWidth > element.clientWidth + 2)
      );
    };
    return [...document.querySelectorAll<HTMLElement>('body *')]
      .filter(isCut)
      .slice(0, 5)
      .map(
        (element) =>
          `${element.tagName} ${element.getAttribute('class')?.slice(0, 120) ?? ''}: ${element.textContent.slice(0, 60)}`,
      );
  });
}
