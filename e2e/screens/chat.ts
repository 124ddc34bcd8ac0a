import type { ScreenSet } from './screen.ts';

export const chatScreens: ScreenSet = {
  screens: [{ name: 'gallery', as: 'student', path: '/gallery' }],
};
