import { definePromptProcessor } from '@lamb/plugin-kit';

/** Tells the model who is asking, by the id under which Moodle knows the person. */
export const moodleAugment = definePromptProcessor({
  name: 'moodle_augment',
  title: 'Prompt with the Moodle user',
  description:
    "Also fills {moodle_user} with the person's id in the learning platform, or else their e-mail or id here.",
  placeholders: ['moodle_user'],
  values({ endUser }) {
    const known = [endUser.lmsUserId, endUser.email].find((id) => id !== undefined && id !== '');
    return { moodle_user: known ?? endUser.id };
  },
});
