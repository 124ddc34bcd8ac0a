import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { gfm } from 'turndown-plugin-gfm';
import type { ExtractedDocument } from './extracted-document.ts';
import { readMarkdown } from './read-markdown.ts';

// Of what linkedom gives, the little that is used here; its own types need a browser's.
interface PageElement {
  textContent: string | null;
  innerHTML: string;
  getAttribute: (name: string) => string | null;
  setAttribute: (name: string, value: string) => void;
  replaceWith: (element: PageElement) => void;
  remove: () => void;
}
interface Page {
  title: string;
  body: PageElement | null;
  querySelectorAll: (selector: string) => Iterable<PageElement & { localName: string }>;
  createElement: (name: string) => PageElement;
}

type ReadabilityPage = ConstructorParameters<typeof Readability>[0];

const parse = parseHTML as unknown as (html: string) => { document: Page };

const level = 'data-heading-level';

/** Readability drops a heading that repeats the title and makes one level of two, but leaves the third level alone. */
function protectHeadings(page: Page): void {
  for (const heading of [...page.querySelectorAll('h1, h2, h3, h4, h5, h6')]) {
    const protectedOne = page.createElement('h3');
    protectedOne.setAttribute(level, heading.localName.slice(1));
    protectedOne.innerHTML = heading.innerHTML;
    heading.replaceWith(protectedOne);
  }
}

function createTurndown(): TurndownService {
  const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
  turndown.use(gfm);
  turndown.addRule('headings', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content, node) => {
      const depth = Number((node as unknown as PageElement).getAttribute(level) ?? 3);
      return `\n\n${'#'.repeat(depth)} ${content.replaceAll(/\s+/g, ' ').trim()}\n\n`;
    },
  });
  // Addresses and pictures say nothing to a reader of the text.
  turndown.addRule('links', { filter: 'a', replacement: (content) => content });
  turndown.remove(['script', 'style', 'noscript', 'iframe', 'img', 'picture', 'video', 'audio', 'canvas', 'form']);
  return turndown;
}

/** Reads a web page: what stands in its middle, without the navigation around it. */
export async function readHtml(html: string, unpackedBytes: number): Promise<ExtractedDocument> {
  const page = parse(html).document;
  for (const element of [...page.querySelectorAll('script, style, noscript, template')]) element.remove();
  const title = page.title.replaceAll(/\s+/g, ' ').trim();
  protectHeadings(page);
  const whole = page.body?.innerHTML ?? html;
  const wholeLength = page.body?.textContent?.trim().length ?? 0;
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-assertion -- necessary where a browser's types are known, as in the stories
  const article = new Readability(page as unknown as ReadabilityPage).parse();
  // What it takes for an article is sometimes one paragraph of many.
  const found = (article?.textContent?.trim().length ?? 0) >= wholeLength * 0.4 ? article?.content : null;
  // Turndown parses a text with its own parser; elements of another it does not understand.
  const markdown = createTurndown().turndown(found ?? whole);
  return { ...(await readMarkdown(markdown, unpackedBytes)), title: title === '' ? null : title };
}
