import type { ScreenSet } from './screen.ts';

export const knowledgeScreens: ScreenSet = {
  screens: [{ name: 'rubrics', as: 'teacher', path: '/rubrics' }],
};
