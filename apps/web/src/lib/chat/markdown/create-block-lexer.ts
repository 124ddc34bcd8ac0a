import { lexMarkdown, type MarkdownToken } from './lex-markdown.ts';

/** A definition of a link changes what was written above it. */
const definition = /^ {0,3}\[[^\]\n]+\]:/m;
/** What is still being written can change the block before it: a line below a paragraph makes it a heading or a table. */
const UNSETTLED = 2;

/**
 * Reads a text that grows into blocks. Those that are settled keep their identity and are not read again, so that the work
 * for each piece that arrives depends on the last blocks, not on the length of the text.
 */
export function createBlockLexer(): (text: string, isComplete: boolean) => MarkdownToken[] {
  let settled: MarkdownToken[] = [];
  let settledText = '';
  let last: MarkdownToken[] = [];

  return (text, isComplete) => {
    const source = text.replace(/\r\n?/g, '\n');
    const goesOn = !isComplete && source.startsWith(settledText) && !definition.test(source);
    const [kept, start] = goesOn ? [settled, settledText.length] : [[], 0];
    const blocks = [...kept, ...lexMarkdown(source.slice(start))];
    const known = blocks.map((block, index) => {
      const before = last[index];
      return before?.raw === block.raw && before.type === block.type ? before : block;
    });
    last = known;
    settled = known.slice(0, -UNSETTLED);
    settledText = settled.map(({ raw }) => raw).join('');
    // Where reading changed a character, places in the two do not match: then everything is read each time.
    if (!source.startsWith(settledText)) [settled, settledText] = [[], ''];
    return known;
  };
}
