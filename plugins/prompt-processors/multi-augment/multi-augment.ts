import { definePromptProcessor } from '@lamb/plugin-kit';

/** The processor of multi-tool assistants: every tool's placeholder is filled. */
export const multiAugment = definePromptProcessor({
  name: 'multi_augment',
  aliases: ['tool_augment'],
  title: 'Prompt with several tools',
  description: 'Fills {user_input} and the placeholder of every tool; a placeholder that nothing fills is removed.',
});
