import { expect, test } from 'vitest';
import { toPlainText } from './to-plain-text.ts';

test.each([
  ['<p dir="ltr">Forces &amp;\n motion</p><ul><li>one</li></ul>', 'Forces & motion one'],
  ['a &lt;b&gt; c &unknown;', 'a <b> c &unknown;'],
  ['before<script>alert(1)</script >after<style>p{}</style>', 'before after'],
  ['2 < 3', '2 < 3'],
  ['', ''],
])('%s reads as %s', (html, text) => {
  expect(toPlainText(html)).toBe(text);
});

test('a text full of openings without an end is read at once', () => {
  const started = performance.now();
  toPlainText('<script'.repeat(500_000));
  expect(performance.now() - started).toBeLessThan(1000);
});
