import { definePromptProcessor, shapeRetrievalQuery } from '@lamb/plugin-kit';

/** Searches with what the person means in the conversation, not only with their last words. */
export const contextAwareAugment = definePromptProcessor({
  name: 'context_aware_augment',
  title: 'Prompt with a context-aware search',
  description:
    "Rewrites a follow-up question into a complete search query with the organisation's small fast model; without one, tools search with the last message.",
  shapeQuery: shapeRetrievalQuery,
});
