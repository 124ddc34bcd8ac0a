import type { ScreenSet } from './screen.ts';

export const shellScreens: ScreenSet = {
  fill: async ({ call, admin }) => {
    const path = '/lamb/v1/organizations/current/config';
    const { config } = (await call(admin, 'GET', path)) as { config: object };
    await call(admin, 'PUT', path, { ...config, features: { signup_enabled: true, signup_key: 'open sesame' } });
    return {};
  },
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
