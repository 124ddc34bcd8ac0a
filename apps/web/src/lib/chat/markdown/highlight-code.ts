import { createHighlighterCore, type ThemedToken } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';

const languages = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  latex: () => import('shiki/langs/latex.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  r: () => import('shiki/langs/r.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
};
type Language = keyof typeof languages;

const aliases: Readonly<Record<string, Language>> = {
  'c++': 'cpp',
  js: 'javascript',
  md: 'markdown',
  py: 'python',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  tex: 'latex',
  ts: 'typescript',
  yml: 'yaml',
};

const themes = { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' };
const highlighter = createHighlighterCore({
  themes: [import('shiki/themes/github-light-high-contrast.mjs'), import('shiki/themes/github-dark-high-contrast.mjs')],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

/** The lines of a piece of code, each as coloured stretches; undefined for a language that is not known here. */
export async function highlightCode(code: string, name: string): Promise<ThemedToken[][] | undefined> {
  const wanted = name.toLowerCase();
  const language = Object.hasOwn(aliases, wanted) ? aliases[wanted] : wanted;
  if (language === undefined || !Object.hasOwn(languages, language)) return undefined;
  const made = await highlighter;
  await made.loadLanguage(languages[language as Language]());
  return made.codeToTokens(code, { lang: language, themes, defaultColor: false }).tokens;
}
