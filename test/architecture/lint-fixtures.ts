// Lints every fixture as if it stood where its path says, and prints what ESLint found: a process of its own, because
// ESLint and the Nx graph do not load inside jest. Fixtures that need types are linted where they are.
import { join } from 'node:path';
import { ESLint, type Linter } from 'eslint';
import { fixture, fixtureNames, fixturesDirectory, isSource, root } from './repository.ts';

export type Findings = Readonly<Record<string, readonly string[]>>;

const typed: readonly string[] = ['floating-promise', 'missing-case'];

const typeAware = [
  '@typescript-eslint/no-floating-promises',
  '@typescript-eslint/no-misused-promises',
  '@typescript-eslint/await-thenable',
  '@typescript-eslint/switch-exhaustiveness-check',
];

// The files do not exist at the paths that they stand for: there is no program to take types from.
const withoutTypes: Linter.Config = {
  files: ['**/*.ts'],
  languageOptions: { parserOptions: { project: null } },
  rules: Object.fromEntries(typeAware.map((rule) => [rule, 'off'])),
};

const withTypes: Linter.Config = {
  files: ['**/*.ts'],
  languageOptions: { parserOptions: { project: typed.map((name) => join(fixturesDirectory, name, 'tsconfig.json')) } },
};

const asIfInPlace = new ESLint({ cwd: root, overrideConfig: withoutTypes });
const whereItIs = new ESLint({ cwd: root, overrideConfig: withTypes, ignore: false });

const findings: Record<string, readonly string[]> = {};
for (const name of fixtureNames) {
  const results = await Promise.all(
    fixture(name)
      .filter(isSource)
      .map(({ path, text }) =>
        typed.includes(name)
          ? whereItIs.lintText(text, { filePath: join(fixturesDirectory, name, path) })
          : asIfInPlace.lintText(text, { filePath: join(root, path) }),
      ),
  );
  findings[name] = results.flat().flatMap(({ messages }) =>
    messages.map(({ ruleId, message }) => `${ruleId ?? 'cannot be read'}: ${message}`),
  );
}
process.stdout.write(JSON.stringify(findings));
