import type { Component } from 'svelte';
import type { Session } from './session.ts';

/** Something that the command palette offers to do. */
export interface Command {
  readonly label: string;
  readonly icon: Component<{ class?: string; 'aria-hidden'?: 'true' }>;
  /** Further words it is found by. */
  readonly keywords?: readonly string[];
  /** An address to go to, or what to do. */
  readonly run: string | (() => void);
}

/** Each area lists its own, for who is signed in, in `<area>/list-commands.ts`. */
export type ListCommands = (session: Session) => Command[];
