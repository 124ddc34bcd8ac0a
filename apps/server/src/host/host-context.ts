import type { HostScope } from '@lamb/engine';
import type { ToolHost } from '@lamb/plugin-kit';
import type { Assistant } from '@lamb/store';
import type { RunContext } from '../completions/book-usage.ts';
import type { OrganizationSetup } from '../organization/read-organization-setup.ts';

/** What a tool's host is bound to. */
export interface HostContext {
  /** The assistant whose tools these are: they reach what its owner may reach, whoever is asking. */
  readonly assistant: Assistant;
  readonly setup: OrganizationSetup;
  /** Who is asking, and on whom it is booked. */
  readonly run: RunContext;
  /** The call it is opened for. */
  readonly scope: HostScope;
  readonly askAssistant: AskAssistant;
}

/** Asks another assistant for the one whose host this is. */
export type AskAssistant = (
  context: HostContext,
  ...args: Parameters<ToolHost['assistants']['run']>
) => ReturnType<ToolHost['assistants']['run']>;
