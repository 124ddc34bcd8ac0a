import { expect, test } from '../world/test.ts';

const PER_SECOND = 200;
const SECONDS = 10;

/** Prose, lists, code and a table, again and again: what an answer is made of. */
function writePieces(count: number): string[] {
  const block =
    '## A heading\n\nA paragraph with **bold**, `code` and a [link](https://example.org) about cells and their life.\n\n' +
    '- first point of a list\n- second point of it\n\n```python\nfor cell in cells:\n    divide(cell)\n```\n\n' +
    '| phase | minutes |\n| --- | --- |\n| one | 10 |\n| two | 20 |\n\nSo $x^2$ grows.\n\n';
  const words = block.match(/\s*\S+|\s+$/g) ?? [];
  return Array.from({ length: count }, (_, index) => words[index % words.length] ?? '');
}

test('the chat keeps up with 200 tokens a second', async ({ world, organization, studentPage: page, isMobile }) => {
  test.skip(isMobile, 'measured once');
  const { call, teacher } = organization;
  const { id } = (await call(teacher, 'POST', '/lamb/v1/assistants', {
    name: 'Fast tutor',
    metadata: { connector: 'openai', llm: 'gpt-4o-mini' },
  })) as { id: number };
  await call(teacher, 'PUT', `/lamb/v1/assistants/${String(id)}/publication`);
  const chunks = [...writePieces(PER_SECOND * SECONDS), '\n\nThe very end.'];
  world.llm.script({ chunks, intervalMs: 1000 / PER_SECOND });
  await page.goto(`/chats/new?assistant=${String(id)}`);
  await page.evaluate(() => {
    const gaps: number[] = [];
    Object.assign(window, { gaps });
    let before = performance.now();
    const tick = (now: number) => {
      gaps.push(now - before);
      before = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    const observer = new MutationObserver(() => {
      if (!document.querySelector('[data-testid=answer-text]')?.textContent.includes('The very end.')) return;
      Object.assign(window, { drawnAt: Date.now() });
      observer.disconnect();
    });
    observer.observe(document.body, { childList: true, characterData: true, subtree: true });
  });
  await page.getByTestId('question-input').fill('Tell me everything');
  await page.getByTestId('send-btn').click();
  await expect(page.getByTestId('answer')).toHaveAttribute('data-status', 'finished', { timeout: 60_000 });
  await expect(page.getByTestId('answer-text')).toContainText('The very end.');
  const drawnAt = await page.evaluate(() => (window as unknown as { drawnAt: number }).drawnAt);
  const lagMs = drawnAt - (world.llm.requests.at(-1)?.finishedAt ?? Number.NaN);
  const gaps = (await page.evaluate(() => (window as unknown as { gaps: number[] }).gaps)).toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(gaps[Math.min(gaps.length - 1, Math.floor(gaps.length * share))] ?? 0);
  const figures = {
    tokens: chunks.length,
    lagMs,
    frames: gaps.length,
    frameMs: { median: at(0.5), p95: at(0.95), p99: at(0.99), longest: at(1) },
  };
  test.info().annotations.push({ type: 'figures', description: JSON.stringify(figures) });
  // Between the last that the model sent and the last that is drawn. Who falls behind would be behind by seconds.
  expect(lagMs, JSON.stringify(figures)).toBeLessThan(1500);
  // The reader was not taken along against their will: the end is in sight.
  await expect(page.getByText('The very end.')).toBeInViewport();
});
