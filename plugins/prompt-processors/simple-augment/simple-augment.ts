import { definePromptProcessor } from '@lamb/plugin-kit';

/** The classic processor: the question and the one gathered context go into the template. */
export const simpleAugment = definePromptProcessor({
  name: 'simple_augment',
  title: 'Simple prompt',
  description: 'Fills {user_input} and {context} of the template and leaves everything else as it stands.',
});
