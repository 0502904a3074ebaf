// Each rule holds in the repository, and each is shown to bite: a fixture that breaks it is refused.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { bans } from './bans.ts';
import { leakViolations } from './checks/leaks.ts';
import type { Findings } from './lint-fixtures.ts';
import { fixture, fixtureNames, repository, root } from './repository.ts';
import { type Check, rules } from './rules.ts';

const rulesWithCheck = Object.entries(rules).flatMap(([name, { check }]) => (check ? [{ name, check }] : []));
const rulesWithLint = Object.entries(rules).flatMap(([name, { lint }]) => (lint ? [{ name, lint }] : []));
const everyCheck: readonly Check[] = [...new Set(rulesWithCheck.map(({ check }) => check)), leakViolations];

describe('the repository', () => {
  it.each(everyCheck.map((check) => ({ name: check.name, check })))('has no $name', ({ check }) => {
    expect(check(repository)).toEqual([]);
  });
});

describe('a fixture that breaks a rule', () => {
  it('exists for every rule, and every fixture belongs to one', () => {
    expect([...fixtureNames].sort()).toEqual(Object.keys(rules).sort());
  });

  it('exists for every ban', () => {
    const shown = rulesWithLint.flatMap(({ lint }) => lint).join();

    expect(bans.filter(({ id }) => !shown.includes(`(${id})`)).map(({ id }) => id)).toEqual([]);
  });

  it.each(rulesWithCheck)('is refused by the check: $name', ({ name, check }) => {
    expect(check(fixture(name))).not.toEqual([]);
  });

  describe('is refused by lint', () => {
    let findings: Findings;

    beforeAll(() => {
      findings = lintFixtures();
    }, 120_000);

    it.each(rulesWithLint)('$name', ({ name, lint }) => {
      for (const rule of lint) expect(findings[name]).toContainEqual(expect.stringContaining(rule));
    });
  });
});

function lintFixtures(): Findings {
  const script = join(root, 'test/architecture/lint-fixtures.ts');
  const printed = execFileSync(process.execPath, ['--conditions=@compasso/source', script], { cwd: root });
  return JSON.parse(printed.toString('utf8')) as Findings;
}
