import { defineConfig, globalIgnores } from 'eslint/config';
import svelte from 'eslint-plugin-svelte';
import tseslint from 'typescript-eslint';
import { environment } from './scripts/checks/lint-rules/environment.ts';
import { fileName } from './scripts/checks/lint-rules/file-name.ts';
import { ownMocks } from './scripts/checks/lint-rules/own-mocks.ts';
import { sleeping } from './scripts/checks/lint-rules/sleeping.ts';

// Tests and what only tests use: `x.test.ts`, `__fixtures__/`, `open-test-store.ts`, `test-server/`, the conformance suites.
const tests = [
  '**/*.test.ts',
  '**/__fixtures__/**/*.ts',
  '**/*-test-*.ts',
  '**/test-*/**/*.ts',
  'packages/plugin-kit/src/conformance/**/*.ts',
];

// The rules of ESLint's own recommended set that the compiler and typescript-eslint do not cover already.
const coreRules = Object.fromEntries(
  [
    'for-direction',
    'no-async-promise-executor',
    'no-case-declarations',
    'no-compare-neg-zero',
    'no-cond-assign',
    'no-constant-binary-expression',
    'no-constant-condition',
    'no-control-regex',
    'no-debugger',
    'no-dupe-else-if',
    'no-duplicate-case',
    'no-empty',
    'no-empty-character-class',
    'no-empty-pattern',
    'no-ex-assign',
    'no-extra-boolean-cast',
    'no-fallthrough',
    'no-invalid-regexp',
    'no-irregular-whitespace',
    'no-loss-of-precision',
    'no-misleading-character-class',
    'no-prototype-builtins',
    'no-regex-spaces',
    'no-self-assign',
    'no-sparse-arrays',
    'no-unassigned-vars',
    'no-unsafe-finally',
    'no-unsafe-optional-chaining',
    'no-unused-labels',
    'no-unused-private-class-members',
    'no-useless-assignment',
    'no-useless-backreference',
    'no-useless-catch',
    'no-useless-escape',
    'preserve-caught-error',
    'require-yield',
    'use-isnan',
    'valid-typeof',
  ].map((name) => [name, 'error']),
);

export default defineConfig(
  globalIgnores([
    '**/node_modules/',
    '**/coverage/',
    '**/.cache/',
    '**/dist/',
    // What the web app's tools write.
    'apps/web/build/',
    'apps/web/.svelte-kit/',
    'apps/web/src/lib/paraglide/',
    'apps/web/src/lib/api/schema.d.ts',
  ]),
  {
    files: ['**/*.{ts,js,mjs,cjs}'],
    plugins: { lamb: { rules: { environment, 'file-name': fileName, 'own-mocks': ownMocks, sleeping } } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      ...coreRules,
      eqeqeq: 'error',
      'no-console': 'error',
      'lamb/environment': 'error',
      'lamb/file-name': 'error',
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // A number in a template reads as it is written; everything else that is not text must be turned into it first.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        {
          allowNumber: true,
          allowAny: false,
          allowBoolean: false,
          allowNever: false,
          allowNullish: false,
          allowRegExp: false,
        },
      ],
      // `onAbort: () => controller.abort()` hides nothing.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Our objects are closures without `this`; what a library's class loses when unbound, its first call shows.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
    },
  },
  {
    // Their types are svelte-check's business, which knows what a template does with them.
    files: ['**/*.svelte'],
    extends: [tseslint.configs.strict, tseslint.configs.stylistic, svelte.configs.recommended],
    plugins: { lamb: { rules: { 'file-name': fileName } } },
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    rules: {
      ...coreRules,
      eqeqeq: 'error',
      'no-console': 'error',
      'lamb/file-name': 'error',
      // Props are declared with `let`, as Svelte wants it.
      'prefer-const': 'off',
      'no-useless-assignment': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // What comes from a model, a file or another person is never markup.
      'svelte/no-at-html-tags': 'error',
      'svelte/no-target-blank': 'error',
      // The app stands at the root of its address.
      'svelte/no-navigation-without-resolve': 'off',
    },
  },
  {
    files: ['packages/{engine,plugin-kit}/**', 'plugins/{tools,prompt-processors}/**'],
    ignores: tests,
    rules: {
      'no-restricted-globals': [
        'error',
        {
          name: 'fetch',
          message:
            'No HTTP here: a tool asks its `host`, whose fetch is guarded and bound to a principal; the engine gets what it ' +
            'needs as a port.',
        },
      ],
    },
  },
  {
    files: tests,
    rules: {
      'lamb/own-mocks': 'error',
      // `expect.any(Number)` is typed as any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  {
    files: ['**/*.test.ts', 'e2e/**/*.ts'],
    rules: {
      'lamb/sleeping': 'error',
      'no-restricted-properties': [
        'error',
        {
          property: 'waitForTimeout',
          message: 'A test that sleeps is slow and still fails at times: `expect(locator)` waits for what it needs.',
        },
      ],
    },
  },
  {
    // What talks to a person in a terminal.
    files: ['scripts/**', 'bench/**', '.ci/**', '**/src/**/main.ts', 'packages/testing/src/vitest/fail-on-console.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // What starts processes, and the one file that reads the product's settings.
    files: [
      'scripts/**',
      'bench/**',
      'chaos/**',
      'packages/testing/**',
      'apps/server/src/config.ts',
      'apps/web/vite.config.ts',
      'e2e/**',
      ...tests,
    ],
    rules: { 'lamb/environment': 'off' },
  },
);
