export type Part =
  | { kind: 'heading'; level: number; text: string; newPage?: boolean }
  | { kind: 'paragraph'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'table'; rows: string[][] };

const heading = (level: number, text: string, newPage = false): Part => ({ kind: 'heading', level, text, newPage });
const paragraph = (text: string): Part => ({ kind: 'paragraph', text });

const rainfall = [
  ['Month', 'Rainfall', 'Runoff'],
  ['January', '81 mm', '34 mm'],
  ['April', '46 mm', '12 mm'],
  ['July', '9 mm', '1 mm'],
  ['October', '97 mm', '41 mm'],
];

/** A handout of five pages, with headings of three levels and a table. */
export const handout: { title: string; parts: Part[] } = {
  title: 'Water and soil',
  parts: [
    heading(1, 'Water and soil'),
    paragraph(
      'This handout goes with the first term of the course. Read a chapter before each lesson, and bring what you did not understand. The heron on the cover was drawn by last year’s class.',
    ),
    paragraph(
      'Rain that reaches the ground either stays where it falls, sinks in, or runs away. How much of it takes which way depends on the soil, on what grows there, and on how wet the ground is already.',
    ),
    heading(2, 'How water sinks in'),
    paragraph(
      'Water enters the soil through its pores. Large pores fill first and empty first; small pores hold their water against gravity for weeks. A handful of garden soil keeps about a quarter of its volume as air.',
    ),
    heading(3, 'Sand, silt and clay'),
    paragraph(
      'Grains are sorted by their size. Sand lets water pass within minutes, silt within hours, and clay within days. A clay floor that has dried out cracks, and the first rain falls straight through the cracks.',
    ),
    {
      kind: 'list',
      items: ['Sand: grains you can see.', 'Silt: grains you can feel.', 'Clay: grains you can only smear.'],
    },
    heading(2, 'How water runs away', true),
    paragraph(
      'What cannot sink in runs off over the surface. Runoff carries the finest grains with it, which are also the most fertile ones. The village of Arenzo lost a hand’s breadth of soil in a single autumn.',
    ),
    paragraph(
      'Terraces slow the water down. A hedge across the slope does the same at a tenth of the price, and birds nest in it.',
    ),
    heading(3, 'A year of measurements'),
    paragraph('The table shows the means of ten years at the school’s own station.'),
    { kind: 'table', rows: rainfall },
    paragraph('More than half of the year’s runoff falls into two months.'),
    heading(1, 'Plants and water', true),
    paragraph(
      'A plant drinks with its roots and breathes with its leaves. Most of what it drinks leaves it again as vapour; a grown beech gives back four hundred litres on a summer day.',
    ),
    heading(2, 'Roots'),
    paragraph(
      'Roots follow the water that they find, not the water that is there. A lawn that is sprinkled every evening has roots as long as a finger. The vines of the upper terrace reach down eleven metres.',
    ),
    heading(2, 'Leaves', true),
    paragraph(
      'Pores under the leaf open in the morning and close when the air becomes too dry. Without this lock a plant would wither before noon. Salt marsh plants sweat crystals that taste of the sea.',
    ),
    heading(3, 'The potometer'),
    paragraph(
      'The potometer measures how much a cut branch drinks. Cut the branch under water, so that no air gets into it. Write down the level every five minutes for half an hour.',
    ),
    heading(1, 'Questions', true),
    paragraph('Answer in whole sentences. The last question is for those who have been to the station in Arenzo.'),
    heading(2, 'To think about'),
    paragraph(
      'Why does a dry clay floor not hold the first rain? Which month needs the largest cistern, and why is it not the wettest one? The answer key hangs behind the green door.',
    ),
  ],
};

/** Slides, each with a title, points and what the teacher says to them. */
export const slides = [
  {
    title: 'Water and soil',
    points: ['Three ways of the rain', 'Staying, sinking, running away'],
    notes: 'Begin with the watering can.',
  },
  {
    title: 'Roots',
    points: ['Roots follow the water that they find', 'The vines of the upper terrace reach down eleven metres'],
    notes: 'Show the photograph of the trench.',
  },
  {
    title: 'Leaves',
    points: ['Pores open in the morning', 'Salt marsh plants sweat crystals that taste of the sea'],
    notes: 'Ask who has been to a salt marsh.',
  },
];

/** Two sheets of measurements. */
export const workbook = [
  { name: 'Rainfall', rows: rainfall },
  {
    name: 'Soil samples',
    rows: [
      ['Place', 'Depth', 'Finding'],
      ['Upper terrace', '40 cm', 'Sandy loam with snail shells'],
      ['School garden', '25 cm', 'Dark humus, one silver button'],
      ['Arenzo station', '60 cm', 'Blue clay under gravel'],
    ],
  },
];

/** Sentences of which it is known where they stand. */
export const planted = {
  handout: [
    {
      sentence: 'The heron on the cover was drawn by last year’s class.',
      page: 1,
      headingPath: ['Water and soil'],
    },
    {
      sentence: 'A handful of garden soil keeps about a quarter of its volume as air.',
      page: 1,
      headingPath: ['Water and soil', 'How water sinks in'],
    },
    {
      sentence: 'A clay floor that has dried out cracks, and the first rain falls straight through the cracks.',
      page: 1,
      headingPath: ['Water and soil', 'How water sinks in', 'Sand, silt and clay'],
    },
    {
      sentence: 'The village of Arenzo lost a hand’s breadth of soil in a single autumn.',
      page: 2,
      headingPath: ['Water and soil', 'How water runs away'],
    },
    {
      sentence: 'July | 9 mm | 1 mm',
      page: 2,
      headingPath: ['Water and soil', 'How water runs away', 'A year of measurements'],
    },
    {
      sentence: 'More than half of the year’s runoff falls into two months.',
      page: 2,
      headingPath: ['Water and soil', 'How water runs away', 'A year of measurements'],
    },
    {
      sentence: 'The vines of the upper terrace reach down eleven metres.',
      page: 3,
      headingPath: ['Plants and water', 'Roots'],
    },
    {
      sentence: 'Salt marsh plants sweat crystals that taste of the sea.',
      page: 4,
      headingPath: ['Plants and water', 'Leaves'],
    },
    {
      sentence: 'Write down the level every five minutes for half an hour.',
      page: 4,
      headingPath: ['Plants and water', 'Leaves', 'The potometer'],
    },
    {
      sentence: 'The answer key hangs behind the green door.',
      page: 5,
      headingPath: ['Questions', 'To think about'],
    },
  ],
  slides: [
    { sentence: 'Three ways of the rain', page: 1, headingPath: ['Water and soil'] },
    { sentence: 'Begin with the watering can.', page: 1, headingPath: ['Water and soil'] },
    { sentence: 'The vines of the upper terrace reach down eleven metres', page: 2, headingPath: ['Roots'] },
    { sentence: 'Salt marsh plants sweat crystals that taste of the sea', page: 3, headingPath: ['Leaves'] },
    { sentence: 'Ask who has been to a salt marsh.', page: 3, headingPath: ['Leaves'] },
  ],
  workbook: [
    { sentence: 'July | 9 mm | 1 mm', page: null, headingPath: ['Rainfall'] },
    { sentence: 'Dark humus, one silver button', page: null, headingPath: ['Soil samples'] },
    { sentence: 'Blue clay under gravel', page: null, headingPath: ['Soil samples'] },
  ],
};
