import { expect, type Page } from '@playwright/test';

/** Nothing scrolls sideways at 320 px, and no text is cut off when it is twice as large. */
export async function expectFitting(page: Page): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await findOverflow(page), 'wider than 320 px').toEqual([]);
  if (before) await page.setViewportSize({ width: Math.max(before.width, 640), height: before.height });
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  expect(await findOverflow(page), 'wider than the screen at 200 % text').toEqual([]);
  expect(await findCutText(page), 'cut off at 200 % text').toEqual([]);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '';
  });
  if (before) await page.setViewportSize(before);
}

async function findOverflow(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .slice(0, 5)
      .map((element) => `${element.tagName} ${element.getAttribute('class')?.slice(0, 80) ?? ''}`);
  });
}

/** Elements that hide a part of their own text downwards. What is shortened on purpose with an ellipsis is not meant. */
async function findCutText(page: Page): Promise<string[]> {
  return await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('body *')]
      .filter((element) => {
        const style = getComputedStyle(element);
        const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== '');
        const hides = ['hidden', 'clip'].includes(style.overflowY);
        const isForReaders = element.clientWidth <= 1;
        return (
          hasText &&
          hides &&
          !isForReaders &&
          element.scrollHeight > element.clientHeight + 2 &&
          style.webkitLineClamp === 'none'
        );
      })
      .slice(0, 5)
      .map((element) => `${element.tagName}: ${element.textContent.slice(0, 60)}`),
  );
}
