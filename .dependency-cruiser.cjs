// Who may import whom. Each comment is what a person reads when the rule stops them.

/** Tests and what only tests use: `x.test.ts`, `__fixtures__/`, `open-test-store.ts`, `test-server/`. */
const testCode = '(\\.test\\.ts$|/__fixtures__/|[/-]test-)';
const ofOurs = '^(apps|packages|plugins)/';
const room = (name) => `^${name}/`;
const library = (name) => `(^|/)node_modules/${name}/`;
const anyLibrary = library('.+');
// No file of ours is without a dot.
const anyNodeModule = '^(node:)?[a-z0-9_/]+$';
/** Modules of Node.js that neither open connections nor touch files. */
const pureNodeModules =
  '^(node:)?(assert|async_hooks|buffer|crypto|events|querystring|stream|string_decoder|timers|url|util|zlib)(/|$)';
const httpAndSql = [
  'undici',
  'axios',
  'got',
  'node-fetch',
  'fastify',
  '@fastify/.+',
  'express',
  'hono',
  'openai',
  'pg',
  'pg-.+',
  'kysely',
];

/** What packages/knowledge reads documents with; their types have packages of their own. */
const parsers = [
  'officeparser',
  'pdfjs-dist',
  '@mozilla/readability',
  'linkedom',
  '(@types/)?turndown',
  'turndown-plugin-gfm',
  'gpt-tokenizer',
];

const rooms = [
  {
    name: 'packages/contract',
    mayImport: [library('zod')],
    comment:
      'packages/contract is what crosses every border, the browser’s too: it imports zod and nothing else. ' +
      'Put what needs more (Node.js, a library, another package) into the room that uses it, and leave only the schema here.',
  },
  {
    name: 'packages/plugin-kit',
    mayImport: [room('packages/contract'), library('zod'), pureNodeModules],
    comment:
      'packages/plugin-kit is all that a plugin author sees: it imports contract and zod only. ' +
      'What a plugin needs from outside becomes a port (a type in tool-host.ts) that apps/server implements. ' +
      'Only src/conformance may import vitest.',
  },
  {
    name: 'packages/engine',
    mayImport: [room('packages/contract'), room('packages/plugin-kit'), pureNodeModules],
    comment:
      'packages/engine knows no HTTP, no SQL and no files: it imports contract and plugin-kit only. ' +
      'Nothing calls upward: declare what the engine needs as a port in TurnPorts, and build it in apps/server/src/compose.ts.',
  },
  {
    name: 'packages/store',
    mayImport: [room('packages/contract'), library('kysely'), library('pg'), library('@types/pg'), anyNodeModule],
    comment:
      'packages/store keeps rows: it imports contract, kysely and pg only. ' +
      'Decisions (who may, what runs) belong to apps/server or packages/engine, which call the store with a `db` or a tenant transaction.',
  },
  {
    name: 'packages/runs',
    mayImport: [
      room('packages/contract'),
      room('packages/engine'),
      room('packages/plugin-kit'),
      room('packages/store'),
      library('@dbos-inc/dbos-sdk'),
      library('kysely'),
      library('pg'),
      library('@types/pg'),
      library('zod'),
      anyNodeModule,
    ],
    comment:
      'packages/runs executes turns durably: it imports contract, engine and store, and the journal it is built on. ' +
      'What a turn needs from outside comes in with `prepare`, which apps/server builds.',
  },
  {
    name: 'packages/knowledge',
    mayImport: [
      room('packages/contract'),
      room('packages/store'),
      library('kysely'),
      library('zod'),
      ...parsers.map(library),
      anyNodeModule,
    ],
    comment:
      'packages/knowledge reads, cuts and finds documents: it imports contract, store, kysely and the libraries that parse. ' +
      'How a provider is spoken to, who may read and what runs when come in as arguments, which apps/server builds.',
  },
  {
    name: 'packages/testing',
    mayImport: [anyLibrary, anyNodeModule],
    comment:
      'packages/testing stands in for the world outside LAMB, so it imports no package of ours: otherwise our mistakes would ' +
      'be on both sides of a test. Speak the wire format itself; what needs our own code (a migrated database, a server) is set up beside its tests.',
  },
  {
    name: 'plugins/connectors',
    mayImport: [room('packages/contract'), room('packages/plugin-kit'), anyLibrary, anyNodeModule],
    mayNotImport: ['fastify', '@fastify/.+', 'pg', 'pg-.+', 'kysely'],
    comment:
      'A connector speaks to a model’s provider: it imports contract, plugin-kit and its provider’s libraries. ' +
      'Settings and keys come in as ProviderSettings; engine, store and server are not its business.',
  },
  {
    name: 'plugins/tools',
    mayImport: [room('packages/contract'), room('packages/plugin-kit'), anyLibrary, pureNodeModules],
    mayNotImport: httpAndSql,
    comment:
      'A tool’s only door to data is its `host`, which is bound to a principal: it imports contract, plugin-kit and libraries that ' +
      'only compute. Use host.fetch, host.files, host.knowledge, …; if a door is missing, add it to ToolHost in packages/plugin-kit.',
  },
  {
    name: 'plugins/prompt-processors',
    mayImport: [room('packages/contract'), room('packages/plugin-kit'), anyLibrary, pureNodeModules],
    mayNotImport: httpAndSql,
    comment:
      'A prompt processor shapes text from what it is given: it imports contract, plugin-kit and libraries that only compute. ' +
      'What it needs from outside is an argument of its functions in packages/plugin-kit/src/define-prompt-processor.ts.',
  },
  {
    name: 'apps/server',
    mayImport: [room('packages'), room('plugins'), anyLibrary, anyNodeModule],
    mayNotImport: [],
    comment:
      'apps/server may import every package and plugin, but no other app: apps talk to each other over HTTP. ' +
      'Put what two apps share into packages/contract.',
  },
  {
    name: 'apps/cli',
    mayImport: [room('packages/contract'), library('zod'), anyNodeModule],
    comment:
      'apps/cli knows the server by its HTTP interface only, so that it works with a server elsewhere: of our packages it imports contract. ' +
      'Add a route and a schema in contract for what it needs.',
  },
  {
    name: 'apps/web',
    mayImport: [room('packages/contract'), anyLibrary],
    comment:
      'apps/web runs in a browser and knows the server by its HTTP interface only: of our packages it imports contract. ' +
      'Add a route and a schema in contract for what it needs.',
  },
];

module.exports = {
  forbidden: [
    ...rooms.flatMap(({ name, mayImport, mayNotImport = [], comment }) => [
      {
        name: `border-of-${name.replace('/', '-')}`,
        severity: 'error',
        comment,
        from: {
          path: room(name),
          pathNot: [testCode, '^packages/plugin-kit/src/conformance/'],
        },
        to: { pathNot: [room(name), ...mayImport], dependencyTypesNot: ['unknown'] },
      },
      ...(mayNotImport.length === 0
        ? []
        : [
            {
              name: `libraries-of-${name.replace('/', '-')}`,
              severity: 'error',
              comment,
              from: { path: room(name), pathNot: testCode },
              to: { path: mayNotImport.map(library) },
            },
          ]),
      {
        name: `border-of-${name.replace('/', '-')}-tests`,
        severity: 'error',
        comment: `A test keeps its room’s borders, with packages/testing and the conformance suite besides. ${comment}`,
        from: { path: `${room(name)}.*${testCode}` },
        to: { path: ofOurs, pathNot: [room(name), ...mayImport, room('packages/testing')] },
      },
    ]),
    {
      name: 'room-without-border',
      severity: 'error',
      comment:
        'This room is not in the table of .dependency-cruiser.cjs yet: add it there, with what it may import and why.',
      from: { path: '^(apps|packages|plugins)/[^/]+/', pathNot: rooms.map(({ name }) => room(name)) },
      to: {},
    },
    {
      name: 'plugins-stand-alone',
      severity: 'error',
      comment:
        'A plugin can be taken away without touching another: plugins never import each other. ' +
        'What two plugins share belongs to packages/plugin-kit; connectors also share plugins/connectors/wire and plugins/connectors/ai-sdk.',
      from: { path: '^plugins/([^/]+)/([^/]+)/' },
      to: { path: '^plugins/', pathNot: ['^plugins/$1/$2/', '^plugins/connectors/(wire|ai-sdk)/'] },
    },
    {
      name: 'connector-parts-stay-inside',
      severity: 'error',
      comment:
        'plugins/connectors/wire and plugins/connectors/ai-sdk are parts of the connectors, not an interface. ' +
        'Import a connector (`@lamb/connectors/openai`), or move what others need to packages/plugin-kit.',
      from: { pathNot: '^plugins/connectors/' },
      to: { path: '^plugins/connectors/(wire|ai-sdk)/' },
    },
    {
      name: 'conformance-imports',
      severity: 'error',
      comment:
        'The conformance suite is part of packages/plugin-kit: besides vitest it imports what plugin-kit may import, contract and zod.',
      from: { path: '^packages/plugin-kit/src/conformance/', pathNot: testCode },
      to: {
        pathNot: [room('packages/plugin-kit'), room('packages/contract'), library('(zod|vitest)'), pureNodeModules],
        dependencyTypesNot: ['unknown'],
      },
    },
    {
      name: 'production-without-test-code',
      severity: 'error',
      comment:
        'Code that runs in production imports nothing that exists for tests (packages/testing, conformance suites, fixtures, test servers). ' +
        'Move what both need into a file of its own.',
      from: {
        path: ofOurs,
        pathNot: [testCode, room('packages/testing'), '^packages/plugin-kit/src/conformance/'],
      },
      to: {
        path: [testCode, room('packages/testing'), '^packages/plugin-kit/src/conformance/'],
        pathNot: 'node_modules',
      },
    },
    {
      name: 'through-the-front-door',
      severity: 'error',
      comment:
        'This reaches into another package’s files. Import it by its name (`@lamb/contract`), which opens only what its package.json ' +
        'exports; if something is missing there, export it on purpose.',
      from: { path: '^(apps|packages|plugins)/([^/]+)/' },
      to: { path: ofOurs, pathNot: '^$1/$2/', dependencyTypes: ['local'], dependencyTypesNot: ['aliased-workspace'] },
    },
    {
      name: 'through-the-front-door-from-outside',
      severity: 'error',
      comment:
        'This reaches into a package’s files. Import it by its name (`@lamb/contract`), which opens only what its package.json exports; ' +
        'if something is missing there, export it on purpose. (Only apps, which export nothing, are opened by path.)',
      from: { pathNot: ofOurs },
      to: { path: '^(packages|plugins)/', dependencyTypes: ['local'], dependencyTypesNot: ['aliased-workspace'] },
    },
    {
      name: 'nothing-imports-scripts',
      severity: 'error',
      comment:
        'scripts, bench, chaos and docs are users of the product and never parts of it. Move what the product needs into the room it belongs to.',
      from: { path: ofOurs },
      to: { path: '^(scripts|bench|chaos|docs)/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment:
        'These files import each other in a circle, so neither can be loaded, tested or moved alone. ' +
        'Move what both need into a third file, or pass it as an argument.',
      // A component that draws a tree has itself inside.
      from: { pathNot: '\\.svelte$' },
      // A circle that only types close (`import type`) is gone when the code runs.
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment:
        'There is nothing at this address. Either the file or dependency is missing, or it lies past what the package’s package.json ' +
        'exports: import from the package’s front door, and export there on purpose what is missing.',
      from: {},
      // SvelteKit's own, which exist while it builds, and icons' second names, whose types are elsewhere; svelte-check sees both.
      to: { couldNotResolve: true, pathNot: ['^\\$app/', '^@lucide/svelte/icons/'] },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'Nothing imports this file and it imports nothing. Delete it, or use it.',
      from: {
        orphan: true,
        pathNot: [
          '\\.d\\.ts$',
          '(^|/)[^/]+\\.config\\.(ts|js)$',
          '\\.test\\.ts$',
          '(^|/)main\\.ts$',
          // Loaded by `node --import`, before the first module of a child process.
          '^packages/knowledge/src/extract/stay-until-told\\.ts$',
          '/\\+(page|layout)\\.ts$',
          // A module of types that only components import, which are read without types. What nothing uses, knip finds.
          '^apps/web/',
        ],
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // What the web app's tools write, and what a browser loads as it is.
    exclude: { path: '^apps/web/(build|static|\\.svelte-kit|src/lib/paraglide)/' },
    // An import of a type is a dependency too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'svelte', 'import', 'node', 'default'],
    },
  },
};
