import type { Rubric } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';

/** How a rubric can score, with what each means. */
export function listScoringTypes(): { value: Rubric['scoringType']; label: string; hint: string }[] {
  return [
    { value: 'points', label: m.knowledge_scoring_points(), hint: m.knowledge_scoring_points_hint() },
    { value: 'percentage', label: m.knowledge_scoring_percentage(), hint: m.knowledge_scoring_percentage_hint() },
    { value: 'holistic', label: m.knowledge_scoring_holistic(), hint: m.knowledge_scoring_holistic_hint() },
    { value: 'single-point', label: m.knowledge_scoring_single(), hint: m.knowledge_scoring_single_hint() },
    { value: 'checklist', label: m.knowledge_scoring_checklist(), hint: m.knowledge_scoring_checklist_hint() },
  ];
}
