import { test as base, type Page } from '@playwright/test';
import { startWorld, type Organization, type Person, type World } from './start-world.ts';

interface Fixtures {
  /** An organisation of the test's own, with an administrator, a teacher and a student. */
  organization: Organization;
  /** A page in which somebody is signed in. */
  openAs: (person: Person) => Promise<Page>;
  teacherPage: Page;
  studentPage: Page;
  adminPage: Page;
}

/** Playwright's `test` with a real server behind it. Nothing that a page says in the console as an error goes unseen. */
export const test = base.extend<Fixtures, { world: World }>({
  world: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures that it needs from here
    async ({}, use) => {
      const world = await startWorld();
      await use(world);
      await world.stop();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  baseURL: async ({ world }, use) => {
    world.llm.reset();
    await use(world.url);
  },
  organization: async ({ world }, use) => {
    await use(await world.addOrganization());
  },
  page: async ({ page }, use) => {
    const complaints = listenTo(page);
    await use(page);
    refuse(complaints);
  },
  openAs: async (
    { browser, contextOptions, baseURL, viewport, isMobile, hasTouch, userAgent, deviceScaleFactor, locale },
    use,
  ) => {
    const complaints: string[] = [];
    const open: Page[] = [];
    await use(async (person) => {
      const context = await browser.newContext({
        ...contextOptions,
        ...(baseURL === undefined ? {} : { baseURL }),
        viewport,
        isMobile,
        hasTouch,
        ...(userAgent === undefined ? {} : { userAgent }),
        ...(deviceScaleFactor === undefined ? {} : { deviceScaleFactor }),
        ...(locale === undefined ? {} : { locale }),
        timezoneId: 'Europe/Madrid',
      });
      const { email, password } = person;
      const reply = await context.request.post('/api/auth/sign-in/email', {
        data: { email, password },
        headers: { origin: baseURL ?? '' },
      });
      if (!reply.ok()) throw new Error(`${email} could not sign in: ${await reply.text()}`);
      const page = await context.newPage();
      listenTo(page, complaints);
      open.push(page);
      return page;
    });
    await Promise.all(open.map((page) => page.context().close()));
    refuse(complaints);
  },
  teacherPage: async ({ openAs, organization }, use) => {
    await use(await openAs(organization.teacher));
  },
  studentPage: async ({ openAs, organization }, use) => {
    await use(await openAs(organization.student));
  },
  adminPage: async ({ openAs, organization }, use) => {
    await use(await openAs(organization.admin));
  },
});

export { expect } from '@playwright/test';

function listenTo(page: Page, complaints: string[] = []): string[] {
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('console', (message) => {
    // A refused request is the page's business to show; everything else is a mistake of ours.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return complaints;
}

function refuse(complaints: readonly string[]): void {
  if (complaints.length > 0) throw new Error(`The page complained:\n${complaints.join('\n')}`);
}
