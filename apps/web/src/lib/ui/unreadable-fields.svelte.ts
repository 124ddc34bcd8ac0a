import { createContext } from 'svelte';
import { SvelteSet } from 'svelte/reactivity';

const [getFields, setFields] = createContext<SvelteSet<symbol>>();

/** In a form: the fields inside it whose text cannot be read. They still hold their earlier values, so it must not be saved. */
export function collectUnreadable(): { readonly size: number } {
  return setFields(new SvelteSet<symbol>());
}

/** In a field: says so to the form while what is written in it cannot be read. */
export function reportUnreadable(isUnreadable: () => boolean): void {
  const fields = getFields();
  const own = Symbol('field');
  $effect(() => {
    if (!isUnreadable()) return;
    fields.add(own);
    return () => {
      fields.delete(own);
    };
  });
}
