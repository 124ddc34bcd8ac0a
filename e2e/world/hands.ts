import { expect, type Locator } from '@playwright/test';

/** How somebody works a page. A story that takes them can be told with either. */
export interface Hands {
  press(target: Locator): Promise<void>;
  write(target: Locator, text: string): Promise<void>;
}

/** With a mouse or a finger. */
export const pointer: Hands = {
  press: (target) => target.click(),
  write: (target, text) => target.fill(text),
};

/** Without: Tab to get there, then the key that works it. */
export const keyboard: Hands = {
  async press(target) {
    await tabTo(target);
    const isTicked = await target.evaluate((element) => element.matches('[type=checkbox], [role=checkbox]'));
    await target.page().keyboard.press(isTicked ? 'Space' : 'Enter');
  },
  async write(target, text) {
    await tabTo(target);
    await target.page().keyboard.press('ControlOrMeta+a');
    await target.page().keyboard.type(text);
  },
};

/** Presses Tab until it has the focus. */
export async function tabTo(target: Locator): Promise<void> {
  await target.waitFor({ state: 'attached' });
  for (let presses = 0; presses < 150; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await target.page().keyboard.press('Tab');
  }
  await expect(target, 'reached with Tab').toBeFocused();
}
