import type { ScreenSet } from './screen.ts';

export const assistantsScreens: ScreenSet = {
  screens: [{ name: 'assistants', as: 'teacher', path: '/assistants' }],
};
