import type { KnipConfig } from 'knip';

const config: KnipConfig = {
  // A type that an exported function takes or returns may be exported with it.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // The examples are written as in a plugin's own package, which would list what they import.
  ignoreIssues: { 'docs/examples/**': ['unlisted'] },
  treatConfigHintsAsErrors: true,
  workspaces: {
    '.': {
      entry: ['scripts/*.ts', 'docs/examples/**/*.test.ts'],
      project: ['scripts/**/*.ts', 'docs/examples/**/*.ts', '*.{js,cjs,ts}'],
    },
    'apps/server': {
      entry: ['src/main.ts', 'src/migrate.ts'],
      project: ['src/**/*.ts'],
      // Loaded when first needed, through createRequire.
      ignoreDependencies: ['gpt-tokenizer'],
    },
    'packages/*': { project: ['src/**/*.ts'] },
    'plugins/*': { project: ['**/*.ts'] },
    bench: { project: ['src/**/*.ts'] },
  },
};

export default config;
