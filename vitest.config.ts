import { defineConfig } from 'vitest/config';

export default defineConfig({
  // That of apps/web lies on one that SvelteKit writes, which a test must not need.
  tsconfig: 'tsconfig.json',
  test: {
    include: ['{apps,packages,plugins,bench,chaos,scripts,docs}/**/*.test.ts'],
    globalSetup: ['@lamb/testing/global-setup'],
    setupFiles: ['@lamb/testing/fail-on-console'],
    pool: 'forks',
    // Left to itself, Vitest keeps one core free; tests wait more than they work.
    maxWorkers: '100%',
    testTimeout: 15_000,
    hookTimeout: 30_000,
    // A second, the default, is little for a server on a machine that is busy with other tests.
    expect: { poll: { timeout: 10_000 } },
    restoreMocks: true,
  },
});
