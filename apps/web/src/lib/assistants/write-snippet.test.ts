import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { writeSnippet } from './write-snippet.ts';

const given = { origin: 'https://lamb.example', model: 'lamb_assistant.7' };

test.each(['Hello', `l'aula "A" $HOME \`id\` \\`])('a shell gives curl the body unchanged: %s', (question) => {
  const command = writeSnippet('curl', { ...given, question }).replace(/^curl/, String.raw`printf '%s\n'`);
  const printed = execFileSync('sh', ['-c', command], { encoding: 'utf8', env: { LAMB_API_KEY: 'key' } })
    .trim()
    .split('\n');
  expect(printed).toContain('https://lamb.example/v1/chat/completions');
  expect(printed).toContain('Authorization: Bearer key');
  expect(JSON.parse(printed.at(-1) ?? '')).toEqual({
    model: 'lamb_assistant.7',
    messages: [{ role: 'user', content: question }],
  });
});

test('programs name the address, the model and the question, and take the key from the environment', () => {
  for (const kind of ['javascript', 'python'] as const) {
    const text = writeSnippet(kind, { ...given, question: 'Say "hi"' });
    expect(text).toContain('https://lamb.example/v1');
    expect(text).toContain('lamb_assistant.7');
    expect(text).toContain(String.raw`"Say \"hi\""`);
    expect(text).toContain('LAMB_API_KEY');
  }
});
