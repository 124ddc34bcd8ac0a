import type { ScreenSet } from './screen.ts';

export const shellScreens: ScreenSet = {
  screens: [
    { name: 'sign-in', as: 'nobody', path: '/sign-in' },
    { name: 'sign-up', as: 'nobody', path: '/sign-up' },
    { name: 'not-found', as: 'teacher', path: '/no-such-page' },
    {
      name: 'palette',
      as: 'teacher',
      path: '/assistants',
      prepare: async (page) => {
        await page.keyboard.press('Control+k');
        await page.getByTestId('palette').waitFor();
      },
    },
  ],
};
