export const snippetKinds = ['curl', 'javascript', 'python'] as const;
export type SnippetKind = (typeof snippetKinds)[number];

/** How a program talks to an assistant: with the `openai` library or bare HTTP. The key comes from the environment. */
export function writeSnippet(
  kind: SnippetKind,
  { origin, model, question }: { origin: string; model: string; question: string },
): string {
  const said = JSON.stringify(question);
  if (kind === 'curl') {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: question }] }).replaceAll(
      "'",
      String.raw`'\''`,
    );
    return [
      `curl ${origin}/v1/chat/completions \\`,
      `  -H "Authorization: Bearer $LAMB_API_KEY" \\`,
      `  -H "Content-Type: application/json" \\`,
      `  -d '${body}'`,
    ].join('\n');
  }
  if (kind === 'javascript') {
    return [
      "import OpenAI from 'openai';",
      '',
      'const client = new OpenAI({',
      `  baseURL: '${origin}/v1',`,
      '  apiKey: process.env.LAMB_API_KEY,',
      '});',
      'const answer = await client.chat.completions.create({',
      `  model: '${model}',`,
      `  messages: [{ role: 'user', content: ${said} }],`,
      '});',
      'console.log(answer.choices[0].message.content);',
    ].join('\n');
  }
  return [
    'import os',
    'from openai import OpenAI',
    '',
    'client = OpenAI(',
    `    base_url="${origin}/v1",`,
    '    api_key=os.environ["LAMB_API_KEY"],',
    ')',
    'answer = client.chat.completions.create(',
    `    model="${model}",`,
    `    messages=[{"role": "user", "content": ${said}}],`,
    ')',
    'print(answer.choices[0].message.content)',
  ].join('\n');
}
