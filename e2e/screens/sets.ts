import { adminScreens } from './admin.ts';
import { assistantsScreens } from './assistants.ts';
import { chatScreens } from './chat.ts';
import { knowledgeScreens } from './knowledge.ts';
import type { ScreenSet } from './screen.ts';
import { shellScreens } from './shell.ts';
import { toolsScreens } from './tools.ts';

/** The screens of the app, by area. */
export const sets: Readonly<Record<string, ScreenSet>> = {
  shell: shellScreens,
  assistants: assistantsScreens,
  tools: toolsScreens,
  chat: chatScreens,
  knowledge: knowledgeScreens,
  admin: adminScreens,
};
