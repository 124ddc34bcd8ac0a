import { expect, test } from 'vitest';
import { toolColor } from './tool-color.ts';

test('a tool has one colour, also under its earlier name', () => {
  expect(toolColor('simple_rag')).toBe('c1');
  expect(toolColor('rubric')).toBe(toolColor('rubric_rag'));
  expect(
    new Set(['simple_rag', 'rubric_rag', 'assistant', 'single_file_rag', 'moodle', 'image_gen'].map(toolColor)).size,
  ).toBe(6);
});

test('a tool that nobody foresaw has a colour of the six, always the same', () => {
  for (const type of ['word_count', 'grade_scale', '', 'constructor', '__proto__', 'é🦊']) {
    expect(toolColor(type)).toMatch(/^c[1-6]$/);
    expect(toolColor(type)).toBe(toolColor(type));
  }
});
