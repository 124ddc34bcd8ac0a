import type { ToolCall } from '@lamb/contract';
import type { ModelEvent } from '@lamb/plugin-kit';

type Piece = Extract<ModelEvent, { type: 'tool_call' }>;

interface Draft {
  id: string | undefined;
  name: string;
  arguments: string;
}

/** Puts tool calls together from the pieces a model streams. */
export interface CallAssembler {
  add(piece: Piece): void;
  /** The calls in the order they began, each with an id of its own. */
  finish(): ToolCall[];
}

/**
 * Makes a call assembler. Pieces belong to the call with their index; a new id at a known index begins a new call, as
 * some providers number every call 0. Ids that are missing or repeated are replaced by `${prefix}_N`.
 */
export function createCallAssembler(prefix: string): CallAssembler {
  const drafts: Draft[] = [];
  const byIndex = new Map<number, Draft>();

  const draftFor = ({ index, id }: Piece): Draft => {
    const known = byIndex.get(index);
    if (known && (id === undefined || id === '' || known.id === undefined || known.id === id)) return known;
    const draft: Draft = { id: undefined, name: '', arguments: '' };
    drafts.push(draft);
    byIndex.set(index, draft);
    return draft;
  };

  return {
    add(piece) {
      const draft = draftFor(piece);
      if (piece.id !== undefined && piece.id !== '') draft.id ??= piece.id;
      // Some providers repeat the name with every piece.
      if (piece.name !== undefined && piece.name !== draft.name) draft.name += piece.name;
      draft.arguments += piece.arguments ?? '';
    },
    finish() {
      const taken = new Set<string>();
      return drafts.map(({ id, name, arguments: text }, index) => {
        const unique = id === undefined || taken.has(id) ? `${prefix}_${String(index + 1)}` : id;
        taken.add(unique);
        return { id: unique, type: 'function', function: { name, arguments: text } };
      });
    },
  };
}
