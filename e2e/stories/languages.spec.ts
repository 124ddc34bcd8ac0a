import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openScreen } from '../screens/open-screen.ts';
import { sets } from '../screens/sets.ts';
import { findMisfits } from '../world/expect-fitting.ts';
import { expect, test } from '../world/test.ts';

const routes = join(import.meta.dirname, '../../apps/web/src/routes');
/** Addresses that only lead to another one. */
const forwarding = new Set(['/', '/multi-tool-assistants']);

test('every page is among the screens', async () => {
  const files = await readdir(routes, { recursive: true });
  const pages = files
    .filter((file) => file.endsWith('+page.svelte'))
    .map(
      (file) =>
        `/${file
          .split('/')
          .slice(0, -1)
          .filter((step) => !step.startsWith('('))
          .join('/')}`,
    )
    .filter((page) => !forwarding.has(page));
  // Whatever is asked of what a set has made: a step of an address.
  const made = new Proxy({}, { get: () => 'made' });
  const shown = Object.values(sets)
    .flatMap(({ screens }) => screens)
    .map(({ path }) => (typeof path === 'string' ? path : path(made)).replace(/[?#].*$/, ''));
  const missing = pages.filter((page) => {
    const steps = page.split('/');
    return !shown.some((path) => {
      const own = path.split('/');
      return own.length === steps.length && steps.every((step, at) => step.startsWith('[') || step === own[at]);
    });
  });
  expect(missing).toEqual([]);
});

for (const locale of ['en-GB', 'es-ES', 'ca-ES', 'eu-ES']) {
  test.describe(locale, () => {
    test.use({ locale });
    for (const [area, { fill, screens }] of Object.entries(sets)) {
      test(`every screen of ${area} fits in ${locale}, also with text twice as large`, async ({
        page,
        organization,
        world,
        openAs,
        isMobile,
      }) => {
        test.skip(isMobile, 'it is made narrow anyway');
        test.setTimeout(20_000 * (1 + screens.length));
        const made = (await fill?.(organization, world)) ?? {};
        const misfits: Record<string, string[]> = {};
        for (const screen of screens) {
          const shown = screen.as === 'nobody' ? page : await openAs(organization[screen.as]);
          await openScreen(shown, screen, made);
          await expect(shown.locator('html')).toHaveAttribute('lang', locale.slice(0, 2));
          const found = await findMisfits(shown);
          if (found.length > 0) misfits[screen.name] = found;
        }
        expect(misfits).toEqual({});
      });
    }
  });
}
