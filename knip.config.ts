import type { KnipConfig } from 'knip';

const config: KnipConfig = {
  // A type that an exported function takes or returns may be exported with it.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // The examples are written as in a plugin's own package, which would list what they import.
  ignoreIssues: {
    'docs/examples/**': ['unlisted'],
    // Used in the markup of components, through the name of the whole module.
    'apps/web/src/lib/knowledge/rubrics/rubric-draft.ts': ['exports'],
  },
  treatConfigHintsAsErrors: true,
  // Entry points are known from the scripts of package.json, each package's exports and the configuration of the tools.
  workspaces: {
    // Run by hand when the documents of the tests change.
    '.': {
      entry: ['scripts/{make-documents,read-story-report,read-test-report}.ts'],
      project: ['scripts/**/*.ts', 'docs/examples/**/*.ts', '*.{js,cjs,ts}'],
    },
    // The kit is offered as a whole, whether a page uses each part today or not.
    'apps/web': {
      entry: ['src/lib/{ui,api}/*.{ts,svelte}'],
      project: ['src/**/*.{ts,svelte,css}'],
      ignoreDependencies: [
        // Named in project.inlang/settings.json.
        '@inlang/plugin-message-format',
      ],
    },
    'apps/*': { project: ['src/**/*.ts'] },
    'packages/*': { project: ['src/**/*.ts'] },
    // Their exports are a pattern that makes an entry point of every file.
    'plugins/*': { project: ['**/*.ts'], includeEntryExports: true },
    // Files that are processes of their own.
    bench: { entry: ['src/runs/{bare,lamb}-runs.ts'], project: ['src/**/*.ts'] },
    // Two of its files are processes of their own.
    chaos: { entry: ['src/{server,model}.ts'], project: ['src/**/*.ts'] },
  },
};

export default config;
