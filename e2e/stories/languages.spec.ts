import { openScreen } from '../screens/open-screen.ts';
import { sets } from '../screens/sets.ts';
import { findMisfits } from '../world/expect-fitting.ts';
import { expect, test } from '../world/test.ts';

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
