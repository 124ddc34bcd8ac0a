import { defineConfig, devices } from '@playwright/test';

// Repeated in each project, because a device's settings replace those of the whole.
const launchOptions = {
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // Where little memory is shared, as in many containers, large pages would crash.
    '--disable-dev-shm-usage',
  ],
};

export default defineConfig({
  testDir: '.',
  outputDir: 'results',
  globalSetup: './world/start-cluster.ts',
  // Each worker has a server and a model of its own.
  workers: Number(process.env['LAMB_E2E_WORKERS'] ?? 1),
  // A story that needs its second try is reported as flaky, and passes.
  retries: process.env['CI'] === undefined ? 0 : 1,
  fullyParallel: true,
  forbidOnly: process.env['CI'] !== undefined,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['json', { outputFile: 'results/report.json' }]],
  use: {
    contextOptions: { reducedMotion: 'reduce' },
    locale: 'en-GB',
    timezoneId: 'Europe/Madrid',
    actionTimeout: 20_000,
    screenshot: 'only-on-failure',
    trace: 'off',
  },
  projects: [
    {
      name: 'desktop',
      testMatch: 'stories/**/*.spec.ts',
      use: { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 }, launchOptions },
    },
    {
      name: 'phone',
      testMatch: 'stories/**/*.spec.ts',
      use: { ...devices['Pixel 7'], viewport: { width: 390, height: 844 }, launchOptions },
    },
    {
      name: 'screenshots',
      testMatch: 'screens/take-screenshots.ts',
      use: { ...devices['Desktop Chrome'], launchOptions },
    },
  ],
});
