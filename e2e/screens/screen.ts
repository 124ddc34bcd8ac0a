import type { Page } from '@playwright/test';
import type { Organization, World } from '../world/start-world.ts';

/** One picture of the app, taken in light, in dark and on a phone. */
export interface Screen {
  /** The file's name. */
  readonly name: string;
  readonly as: 'nobody' | 'student' | 'teacher' | 'admin';
  /** Where to look; a function, where it depends on what `fill` made. */
  readonly path: string | ((made: Readonly<Record<string, unknown>>) => string);
  /** What to do there first: open a dialog, scroll. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** The screens of one area, with what must exist before: its result goes to `path`. */
export interface ScreenSet {
  readonly fill?: (organization: Organization, world: World) => Promise<Record<string, unknown>>;
  readonly screens: readonly Screen[];
}
