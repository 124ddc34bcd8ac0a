import { Rubric } from '../../rubric.ts';

/** Criteria and levels are listed out of order on purpose; all criteria share their levels. */
export const essay = Rubric.parse({
  rubricId: '3f1c',
  title: 'Argumentative essay',
  description: 'For the second written assignment.\n\nHand in 1,500 words.\nLate work loses a level.',
  metadata: {
    subject: 'Philosophy',
    gradeLevel: 'Bachelor, year 1',
    createdAt: '2025-02-03T10:00:00Z',
    modifiedAt: '2025-03-01T09:30:00Z',
    author: 'Ada Teacher',
    version: '1.2',
    tags: ['essay', 'argument'],
    internal: { reviewed: true },
  },
  scoringType: 'points',
  maxScore: 10,
  criteria: [
    {
      id: 'evidence',
      name: 'Evidence',
      weight: 66.66666666666667,
      order: 2,
      levels: [
        { id: 'e4', score: 4, label: 'Excellent', description: 'Three sources or more', order: 1 },
        { id: 'e2', score: 2, label: 'Fair', description: 'One source', order: 2 },
      ],
    },
    {
      id: 'thesis',
      name: 'Thesis',
      description: 'Is there one claim?',
      weight: 33.333333333333336,
      order: 1,
      levels: [
        { id: 't2', score: 2, label: 'Fair', description: 'Vague', order: 2 },
        { id: 't4', score: 4, label: 'Excellent', description: 'Clear:\n- stated early\n\nand kept', order: 1 },
      ],
    },
  ],
});

/** Criteria with different levels, and text that tries to be markdown. */
export const hostile = Rubric.parse({
  title: '# Title | with\n<b>markup</b>',
  description: '# not a heading\n- not a list\n1. nor this\n---\n| a | b |\n[link](javascript:alert(1)) & `code`',
  metadata: { subject: '| x |\n## y', tags: ['*a*', 3, null] },
  scoringType: 'holistic',
  maxScore: 100,
  criteria: [
    {
      id: 'a',
      name: 'Pipes | and \\| backslashes \\',
      description: 'line one\nline two | three',
      weight: 100,
      levels: [
        { id: '1', score: 0, label: 'No', description: '' },
        { id: '2', score: 0.5, label: 'Half | way', description: '![x](http://tracker.example/x.png)' },
        { id: '3', score: 1, label: 'Yes', description: '\r\n| --- |\r\n' },
      ],
    },
    {
      id: 'b',
      name: '- [ ] list',
      weight: 0,
      levels: [
        { id: '1', score: 0, label: '', description: '$x$ ~~y~~' },
        { id: '2', score: 1, label: 'Done', description: '<script>' },
      ],
    },
  ],
});
