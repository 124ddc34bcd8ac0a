import { findCitations } from '@lamb/contract/find-citations';
import { Marked, type MarkedToken, type Token } from 'marked';

/** A formula. */
export interface FormulaToken {
  readonly type: 'formula';
  readonly raw: string;
  readonly text: string;
  readonly isBlock: boolean;
}

/** A marker such as `[2]` or `[1, 3]`: its text with the numbers that it names. */
export interface CitationToken {
  readonly type: 'citation';
  readonly raw: string;
  readonly numbers: readonly number[];
}

/** One piece of Markdown, as it is shown. */
export type MarkdownToken = MarkedToken | FormulaToken | CitationToken;

/** Longer than this it is no formula, but a dollar sign that was never closed. */
const MOST_FORMULA = 2000;
const MOST_MARKER = 300;
const blockFormula = new RegExp(
  `^(?:\\$\\$([^]{1,${MOST_FORMULA}}?)\\$\\$|\\\\\\[([^]{1,${MOST_FORMULA}}?)\\\\\\])[\\t ]*(?:\\n|$)`,
);
const inlineFormula = new RegExp(
  `^(?:\\$\\$([^$\\n]{1,${MOST_FORMULA}}?)\\$\\$|\\$(?![\\s$])([^$\\n]{1,${MOST_FORMULA}}?)(?<!\\s)\\$(?![\\d$])|\\\\\\(([^]{1,${MOST_FORMULA}}?)\\\\\\))`,
);

const marked = new Marked({ gfm: true });
marked.use({
  extensions: [
    {
      name: 'formula',
      level: 'block',
      start: (source) => /\$\$|\\\[/.exec(source)?.index,
      tokenizer(source) {
        const found = blockFormula.exec(source);
        if (!found) return undefined;
        return { type: 'formula', raw: found[0], text: (found[1] ?? found[2] ?? '').trim(), isBlock: true };
      },
    },
    {
      name: 'formula-in-text',
      level: 'inline',
      start: (source) => /\$|\\\(/.exec(source)?.index,
      tokenizer(source) {
        const found = inlineFormula.exec(source);
        if (!found) return undefined;
        return { type: 'formula', raw: found[0], text: found[1] ?? found[2] ?? found[3] ?? '', isBlock: false };
      },
    },
    {
      name: 'citation',
      level: 'inline',
      start: (source) => /\[ ?\d/.exec(source)?.index,
      tokenizer(source) {
        if (!/^\[ ?\d/.test(source)) return undefined;
        const [found] = findCitations(source.slice(0, MOST_MARKER));
        if (found?.start !== 0) return undefined;
        return { type: 'citation', raw: source.slice(0, found.end), numbers: found.numbers };
      },
    },
  ],
});

/** Reads Markdown into blocks. Whatever somebody wrote to break this, what comes out is at least its text. */
export function lexMarkdown(source: string): MarkdownToken[] {
  try {
    return marked.lexer(source) as MarkdownToken[];
  } catch {
    return [{ type: 'text', raw: source, text: source, escaped: false }];
  }
}

/** The tokens within a token. */
export function childrenOf(token: MarkdownToken | Token): MarkdownToken[] {
  return 'tokens' in token && token.tokens ? (token.tokens as MarkdownToken[]) : [];
}
