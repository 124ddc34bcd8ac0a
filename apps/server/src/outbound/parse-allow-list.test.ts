import { expect, test } from 'vitest';
import { parseAllowList } from './parse-allow-list.ts';

test('entries are named the way a connection names its host', () => {
  expect([...parseAllowList(['Ollama:11434', '127.0.0.1:80', '[::1]:9090', '[0:0::1]:1'])]).toEqual([
    'ollama:11434',
    '127.0.0.1:80',
    '::1:9090',
    '::1:1',
  ]);
});

test.each(['ollama', 'http://ollama:11434', '*:80', 'ollama:0', 'ollama:99999', '[::1]', 'a b:80', '[ollama]:80', ''])(
  '“%s” is refused',
  (entry) => {
    expect(() => parseAllowList([entry])).toThrow(`“${entry}”`);
  },
);
