import { afterEach, expect } from 'vitest';

const methods = ['debug', 'error', 'info', 'log', 'warn'] as const;
const printed: string[] = [];

// A test that expects output says so by replacing the method: vi.spyOn(console, 'warn').mockImplementation(() => {}).
for (const method of methods) {
  console[method] = (...values: unknown[]) => {
    printed.push(`console.${method}(${values.map(String).join(' ')})`);
  };
}

afterEach(() => {
  expect(printed.splice(0), 'A test printed to the console; expect the output with vi.spyOn, or remove it').toEqual([]);
});
