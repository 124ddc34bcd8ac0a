import katex from 'katex';
import 'katex/dist/katex.min.css';

/** Puts a formula into an element, as nodes. What could load or link something, or grow without end, is not allowed to. */
export function renderFormula(element: HTMLElement, formula: string, isBlock: boolean): void {
  katex.render(formula, element, {
    displayMode: isBlock,
    throwOnError: false,
    trust: false,
    strict: 'ignore',
    maxExpand: 200,
    maxSize: 20,
    // The colour of what is wrong is the page's, not KaTeX's own red.
    errorColor: 'var(--danger)',
  });
}
