import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from '../world/test.ts';
import { adminScreens } from './admin.ts';
import { assistantsScreens } from './assistants.ts';
import { chatScreens } from './chat.ts';
import { knowledgeScreens } from './knowledge.ts';
import type { ScreenSet } from './screen.ts';
import { shellScreens } from './shell.ts';
import { toolsScreens } from './tools.ts';

const folder = process.env['LAMB_SCREENSHOTS'] ?? join(import.meta.dirname, '../../screenshots');
const sets: Readonly<Record<string, ScreenSet>> = {
  shell: shellScreens,
  assistants: assistantsScreens,
  tools: toolsScreens,
  chat: chatScreens,
  knowledge: knowledgeScreens,
  admin: adminScreens,
};
const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const;

for (const [area, { fill, screens }] of Object.entries(sets)) {
  test(`pictures of ${area}`, async ({ page, organization, world, openAs }) => {
    test.setTimeout(20_000 * (1 + screens.length * looks.length));
    await mkdir(folder, { recursive: true });
    const made = (await fill?.(organization, world)) ?? {};
    for (const { name, as, path, prepare } of screens) {
      const shown = as === 'nobody' ? page : await openAs(organization[as]);
      for (const look of looks) {
        await shown.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: 'reduce' });
        await shown.setViewportSize(look.viewport);
        await shown.goto(typeof path === 'string' ? path : path(made));
        await shown.getByRole('heading', { level: 1 }).first().waitFor();
        await shown.locator('[role=status][aria-label]').first().waitFor({ state: 'hidden' });
        await prepare?.(shown);
        await shown.evaluate(() => document.fonts.ready.then(() => undefined));
        await shown.screenshot({ path: join(folder, `${area}-${name}-${look.name}.png`) });
      }
    }
  });
}
