import type { ScreenSet } from './screen.ts';

export const adminScreens: ScreenSet = {
  screens: [{ name: 'organization', as: 'admin', path: '/organization' }],
};
