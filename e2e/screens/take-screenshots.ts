import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from '../world/test.ts';
import { openScreen } from './open-screen.ts';
import { sets } from './sets.ts';

const folder = process.env['LAMB_SCREENSHOTS'] ?? join(import.meta.dirname, '../../screenshots');
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
    for (const screen of screens) {
      const shown = screen.as === 'nobody' ? page : await openAs(organization[screen.as]);
      for (const look of looks) {
        await shown.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: 'reduce' });
        await shown.setViewportSize(look.viewport);
        await openScreen(shown, screen, made);
        await shown.screenshot({ path: join(folder, `${area}-${screen.name}-${look.name}.png`) });
      }
    }
  });
}
