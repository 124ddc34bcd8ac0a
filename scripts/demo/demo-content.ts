import type { Rubric } from '@lamb/contract';

/** A document of the demo's knowledge bases. */
export interface DemoDocument {
  readonly filename: string;
  readonly text: string;
}

/** What the course's knowledge base knows. */
export const courseNotes: DemoDocument = {
  filename: 'biology-1.md',
  text: `# Biology 1: how plants live

## Photosynthesis

Photosynthesis turns light, water and carbon dioxide into glucose and oxygen. It happens in the chloroplasts, where chlorophyll absorbs mostly red and blue light. What it does not absorb is green, and that is the light which reaches our eyes.

## Where it happens

The light-dependent reactions take place in the thylakoid membranes. The Calvin cycle takes place in the stroma and fixes carbon dioxide.

## Respiration

Cellular respiration releases the energy stored in glucose. In the presence of oxygen one molecule yields about 30 molecules of ATP; without oxygen, fermentation yields two.
`,
};

/** A second knowledge base, used by the same assistant on another placeholder. */
export const glossary: DemoDocument = {
  filename: 'writing-glossary.md',
  text: `# Terms of academic writing

## Argument

A claim together with the reasons given for it.

## Evidence

Facts, data or quotations that support a claim.

## Structure

How the parts of a text follow from each other.
`,
};

/** The file that `single_file_rag` reads in the demo. */
export const assignment = {
  path: 'assignments/essay-1.md',
  text: '# Essay 1\n\nExplain in 400 to 600 words why a leaf is green. Give evidence for each claim and name your sources.\n',
};

/** The rubric of the demo's essay evaluator. */
export const essayRubric: Rubric = {
  title: 'Essay',
  description: 'For short essays in the first year.',
  metadata: { subject: 'Biology', gradeLevel: 'first year' },
  scoringType: 'points',
  maxScore: 10,
  criteria: [
    {
      id: 'argument',
      name: 'Argument',
      description: 'Claims are clear and follow from each other.',
      weight: 60,
      order: 0,
      levels: [
        { id: 'a4', score: 4, label: 'Excellent', description: 'Every claim is clear and supported.', order: 0 },
        { id: 'a2', score: 2, label: 'Sufficient', description: 'Most claims are clear.', order: 1 },
        { id: 'a1', score: 1, label: 'Weak', description: 'Claims are missing or contradict each other.', order: 2 },
      ],
    },
    {
      id: 'evidence',
      name: 'Evidence',
      description: 'Facts are right and their sources are named.',
      weight: 40,
      order: 1,
      levels: [
        { id: 'e4', score: 4, label: 'Excellent', description: 'All facts are right and sourced.', order: 0 },
        { id: 'e1', score: 1, label: 'Weak', description: 'Facts are wrong or have no source.', order: 1 },
      ],
    },
  ],
};
