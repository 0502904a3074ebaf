// Style and boundaries as errors. Project boundaries come from the Nx tags of each package.json, folder boundaries and
// bans from the tables in test/architecture, which also hold a fixture against every rule.
import js from '@eslint/js';
import { createProjectGraphAsync } from '@nx/devkit';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { compasso } from './test/architecture/lint-plugin.ts';

// Without a project graph the Nx rule prints a warning and passes everything. No daemon and no plugin processes: nothing
// of a lint run may outlive it.
process.env.NX_DAEMON = 'false';
process.env.NX_ISOLATE_PLUGINS = 'false';
await createProjectGraphAsync({ exitOnError: true });

const typescript = '**/*.{ts,mts}';
const testCode = ['**/*.{spec,features,fixture,story}.ts', 'test/**/*.ts'];

// The names that the Node which runs this knows: the same that runs the scripts.
const nodeGlobals = Object.fromEntries(Object.getOwnPropertyNames(globalThis).map((name) => [name, 'readonly']));

const libraryTags = ['type:kernel', 'type:contracts', 'type:lib'];

const projectBoundaries = (specs) => [
  'error',
  {
    enforceBuildableLibDependency: false,
    // A spec may break the broker that it runs on.
    allow: specs ? ['^(\\.\\./)+infra/'] : [],
    allowCircularSelfDependency: specs,
    // The package for tests depends on the libraries whose specs use it; it has no part in what is deployed.
    ignoredCircularDependencies: ['postgres', 'messaging', 'runtime', 'observability', 'contracts'].map((name) => [
      '@compasso/testing',
      `@compasso/${name}`,
    ]),
    depConstraints: [
      { sourceTag: 'type:kernel', onlyDependOnLibsWithTags: specs ? ['type:testing'] : [] },
      { sourceTag: 'type:contracts', onlyDependOnLibsWithTags: ['type:kernel', ...(specs ? ['type:testing'] : [])] },
      { sourceTag: 'type:lib', onlyDependOnLibsWithTags: [...libraryTags, ...(specs ? ['type:testing'] : [])] },
      { sourceTag: 'type:app', onlyDependOnLibsWithTags: [...libraryTags, ...(specs ? ['type:testing'] : [])] },
      { sourceTag: 'type:testing', onlyDependOnLibsWithTags: [...libraryTags, 'type:testing'] },
      ...['ledger', 'payout-gateway', 'transfer-tracker', 'provider-simulator'].map((scope) => ({
        sourceTag: `scope:${scope}`,
        onlyDependOnLibsWithTags: [`scope:${scope}`, 'scope:shared'],
      })),
      { sourceTag: 'scope:shared', onlyDependOnLibsWithTags: ['scope:shared'] },
    ],
  },
];

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', '**/coverage/', '.nx/', '.compasso/', 'test/architecture/fixtures/'] },
  { linterOptions: { noInlineConfig: true } },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    plugins: { compasso, '@nx': nx },
    rules: {
      'compasso/who-may-import-whom': 'error',
      'compasso/banned': 'error',
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 60 }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      eqeqeq: 'error',
      // A callback may name what is assigned after it: the process's service, in its own failure handler.
      'prefer-const': ['error', { ignoreReadBeforeAssign: true }],
      // Does not see that a decorator uses a value.
      'no-useless-assignment': 'off',
    },
  },
  { files: ['**/*.mjs'], languageOptions: { globals: nodeGlobals } },
  {
    files: [typescript],
    rules: { '@nx/enforce-module-boundaries': projectBoundaries(false) },
  },
  {
    files: testCode,
    rules: {
      '@nx/enforce-module-boundaries': projectBoundaries(true),
      'max-lines': ['error', { max: 500 }],
      // A `describe` is one function; its tests are what should be short.
      'max-lines-per-function': 'off',
    },
  },
  {
    files: ['{apps,libs}/*/src/**/*.ts', '{tools,infra,bench,test}/**/*.ts'],
    languageOptions: { parserOptions: { project: ['./tsconfig.check.json'], tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
);
