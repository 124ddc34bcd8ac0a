import type { Page } from '@playwright/test';
import type { Screen } from './screen.ts';

/** Goes to a screen and waits until it shows what it shows. */
export async function openScreen(
  page: Page,
  { path, prepare }: Screen,
  made: Readonly<Record<string, unknown>>,
): Promise<void> {
  await page.goto(typeof path === 'string' ? path : path(made));
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[role=status][aria-label]').first().waitFor({ state: 'hidden' });
  await prepare?.(page);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}
