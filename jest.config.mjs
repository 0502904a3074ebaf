// One configuration, a project per cost of a test: the suffix of a spec says which (house style, 13).
import { readFileSync } from 'node:fs';

const { $schema: _, ...swc } = JSON.parse(readFileSync(new URL('./.swcrc', import.meta.url), 'utf8'));

const common = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@compasso/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  setupFiles: ['reflect-metadata'],
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/', '<rootDir>/.compasso/'],
  clearMocks: true,
};

/** @type {import('jest').Config} */
export default {
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs,tools,infra}/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.int\\.spec\\.ts$', '\\.e2e\\.spec\\.ts$'],
    },
    {
      ...common,
      displayName: 'int',
      testMatch: ['<rootDir>/{apps,libs,tools,infra}/**/*.int.spec.ts'],
      globalSetup: '<rootDir>/libs/testing/src/jest-infrastructure.mjs',
      setupFilesAfterEnv: ['<rootDir>/libs/testing/src/patience.mjs'],
      globalTeardown: '<rootDir>/libs/testing/src/jest-infrastructure-teardown.mjs',
    },
    { ...common, displayName: 'architecture', testMatch: ['<rootDir>/test/architecture/*.spec.ts'] },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/*.e2e.spec.ts'],
      setupFilesAfterEnv: ['<rootDir>/libs/testing/src/patience.mjs'],
    },
  ],
};
