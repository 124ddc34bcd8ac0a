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

/** What can stand in the name of a step, in an address and in a row. */
const plainId = /^[\w.:-]{1,128}$/;

/** Far beyond what any provider takes for a name; it stands in events, which are kept. */
const MAX_NAME_CHARS = 256;

/**
 * Makes a call assembler. Pieces belong to the call with their index; a new id at a known index begins a new call, as
 * some providers number every call 0, and so does a new name after arguments. Ids that are missing, odd, repeated or among
 * those `taken` earlier in the conversation are replaced by `${prefix}_N`: what is done for a call is recorded under its id.
 */
export function createCallAssembler(prefix: string, taken: Iterable<string> = []): CallAssembler {
  const drafts: Draft[] = [];
  const byIndex = new Map<number, Draft>();

  const draftFor = (index: number, id: string | undefined, name: string | undefined): Draft => {
    const known = byIndex.get(index);
    const sameId = id === undefined || known?.id === undefined || known.id === id;
    const otherName = id === undefined && known?.arguments !== '' && isOther(name, known?.name);
    if (known && sameId && !otherName) return known;
    const draft: Draft = { id: undefined, name: '', arguments: '' };
    drafts.push(draft);
    byIndex.set(index, draft);
    return draft;
  };

  return {
    add(piece) {
      // Some providers send an empty id for none.
      const id = piece.id === '' ? undefined : piece.id;
      const draft = draftFor(piece.index, id, piece.name);
      draft.id ??= id;
      // Some providers repeat the name with every piece.
      if (piece.name !== undefined && piece.name !== draft.name) draft.name += piece.name;
      draft.arguments += piece.arguments ?? '';
    },
    finish() {
      const used = new Set(taken);
      return drafts.map(({ id, name, arguments: text }, index) => {
        const unique =
          id === undefined || !plainId.test(id) || used.has(id) ? freeId(`${prefix}_${String(index + 1)}`, used) : id;
        used.add(unique);
        return { id: unique, type: 'function', function: { name: name.slice(0, MAX_NAME_CHARS), arguments: text } };
      });
    },
  };
}

function isOther(name: string | undefined, known: string | undefined): boolean {
  return name !== undefined && name !== '' && name !== known;
}

function freeId(wanted: string, used: ReadonlySet<string>): string {
  let id = wanted;
  for (let number = 2; used.has(id); number += 1) id = `${wanted}_${String(number)}`;
  return id;
}
