import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  Decoration,
  drawSelection,
  EditorView,
  keymap,
  MatchDecorator,
  placeholder as emptyText,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';
import { toolColor } from '#lib/ui/tool-color.ts';
import type { Offer } from './offer.ts';
import { placeholderPattern } from './placeholders.ts';

/** The running editor. */
export interface PromptEditor {
  setText(text: string): void;
  setOffers(offers: readonly Offer[], keepsUnknown: boolean): void;
  insert(name: string): void;
  focus(selection?: { from: number; to: number }): void;
  destroy(): void;
}

interface Options {
  readonly parent: HTMLElement;
  readonly text: string;
  readonly offers: readonly Offer[];
  /** A classic assistant leaves braces that nothing fills as they are. */
  readonly keepsUnknown: boolean;
  /** Attributes of what is edited: its name and description for readers of the screen. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly words: { readonly empty: string; readonly completions: string; readonly unfilled: string };
  readonly onchange: (text: string) => void;
}

/** Starts CodeMirror on a prompt template. Placeholders are chips: the cursor passes them in one step, and one key deletes them. */
export function createPromptEditor(options: Options): PromptEditor {
  const { parent, text, attributes, words, onchange } = options;
  const chips = new Compartment();
  let { offers, keepsUnknown } = options;

  const complete = (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/\{[a-z0-9_]*/);
    if (!word) return null;
    const choices = offers.map((offer): Completion => ({
      label: `{${offer.name}}`,
      detail: offer.text,
      apply: (view, _completion, from, to) => put(view, offer.name, from, to),
    }));
    return { from: word.from, options: choices, validFor: /^\{[a-z0-9_]*$/ };
  };

  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        history(),
        drawSelection(),
        closeBrackets(),
        EditorState.languageData.of(() => [{ closeBrackets: { brackets: ['{'] } }]),
        // The list only opens after a brace, so Enter is meant for it as soon as it is there.
        autocompletion({ override: [complete], icons: false, interactionDelay: 0 }),
        // Tab is not bound: it leaves the editor, as everywhere in a form.
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorState.phrases.of({ Completions: words.completions }),
        emptyText(words.empty),
        EditorView.contentAttributes.of({
          ...attributes,
          spellcheck: 'false',
          autocorrect: 'off',
          autocapitalize: 'off',
        }),
        chips.of(decorate(offers, keepsUnknown, words.unfilled)),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onchange(update.state.doc.toString());
        }),
      ],
    }),
  });

  return {
    setText(next) {
      if (next === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    setOffers(next, keeps) {
      offers = next;
      keepsUnknown = keeps;
      view.dispatch({ effects: chips.reconfigure(decorate(offers, keepsUnknown, words.unfilled)) });
    },
    insert(name) {
      const { from, to } = view.state.selection.main;
      put(view, name, from, to);
      view.focus();
    },
    focus(selection) {
      const end = view.state.doc.length;
      if (selection) {
        view.dispatch({ selection: { anchor: Math.min(selection.from, end), head: Math.min(selection.to, end) } });
      }
      view.focus();
    },
    destroy() {
      view.destroy();
    },
  };
}

/** Writes a placeholder; a brace that was closed for the person beforehand is taken over. */
function put(view: EditorView, name: string, from: number, to: number): void {
  const end = view.state.sliceDoc(from, from + 1) === '{' && view.state.sliceDoc(to, to + 1) === '}' ? to + 1 : to;
  const insert = `{${name}}`;
  view.dispatch({
    changes: { from, to: end, insert },
    selection: { anchor: from + insert.length },
    userEvent: 'input.complete',
    scrollIntoView: true,
  });
}

function decorate(offers: readonly Offer[], keepsUnknown: boolean, unfilled: string): Extension {
  const known = new Map(offers.map((offer) => [offer.name, offer]));
  const matcher = new MatchDecorator({
    regexp: placeholderPattern,
    decoration: ([, name = '']) => {
      const offer = known.get(name);
      if (!offer && keepsUnknown) return null;
      const look = offer ? (offer.type === undefined ? 'plain' : toolColor(offer.type)) : 'unfilled';
      return Decoration.mark({
        class: `placeholder placeholder-${look}`,
        attributes: { title: offer?.text ?? unfilled },
      });
    },
  });
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = matcher.createDeco(view);
      }
      update(update: ViewUpdate) {
        this.decorations = matcher.updateDeco(update, this.decorations);
      }
    },
    {
      decorations: (plugin) => plugin.decorations,
      provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.decorations ?? Decoration.none),
    },
  );
}
