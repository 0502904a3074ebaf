// Every rule of the architecture: the fixture that breaks it, and who must refuse that fixture. A check is one of the
// tests here and sees the whole repository; a lint rule sees one file, while it is being written.
import { fileCycles, packageCycles } from './checks/cycles.ts';
import { documentViolations, referenceViolations } from './checks/documents.ts';
import { importViolations } from './checks/imports.ts';
import { indexViolations, nameViolations, openEndViolations, silencedViolations } from './checks/names.ts';
import { packageViolations, rootViolations, versionViolations } from './checks/packages.ts';
import { routeViolations } from './checks/routes.ts';
import { sizeViolations } from './checks/sizes.ts';
import { forgottenTestCode, suiteViolations } from './checks/suites.ts';
import type { File } from './repository.ts';

export type Check = (files: readonly File[]) => readonly string[];

export interface Refusals {
  readonly check?: Check;
  readonly lint?: readonly string[];
}

const whoMayImportWhom = 'compasso/who-may-import-whom';
const projects = '@nx/enforce-module-boundaries';
const banned = (id: string): Refusals => ({ lint: [`compasso/banned: Banned here (${id})`] });
const importRule: Refusals = { check: importViolations, lint: [whoMayImportWhom] };
const projectRule: Refusals = { check: importViolations, lint: [whoMayImportWhom, projects] };

/** By the name of the fixture. */
export const rules: Readonly<Record<string, Refusals>> = {
  'kernel-imports-a-package': importRule,
  'contracts-import-a-library': projectRule,
  'library-imports-a-library': importRule,
  'shell-imports-an-adapter': importRule,
  'shell-imports-the-database': importRule,
  'domain-imports-contracts': importRule,
  'domain-imports-a-framework': importRule,
  'domain-imports-a-package': importRule,
  'domain-imports-node': importRule,
  'domain-imports-the-shell': importRule,
  'app-imports-an-app': projectRule,
  'app-imports-an-app-by-name': importRule,
  'app-imports-a-path-into-a-library': projectRule,
  'app-imports-a-file-of-a-package': importRule,
  'product-imports-tools': projectRule,
  'product-imports-testing': projectRule,
  'product-imports-test-code': importRule,
  'kafkajs-escapes': importRule,
  'pg-escapes': importRule,
  'typeorm-escapes': importRule,
  'undici-escapes': importRule,
  'sqlite-escapes': importRule,
  'nest-escapes': importRule,
  'node-without-its-prefix': importRule,
  'import-at-run-time': importRule,

  'default-export': banned('default-export'),
  'export-star': banned('export-star'),
  'namespace-import': banned('namespace-import'),
  'bare-error': banned('bare-error'),
  'clock-in-the-domain': banned('clock-or-chance'),
  'chance-in-the-domain': banned('clock-or-chance'),
  'environment-in-product': banned('environment'),
  'console-in-product': banned('console'),
  enumeration: banned('not-erasable'),
  'parameter-property': banned('not-erasable'),
  'decorator-in-a-tool': banned('decorator'),
  'disabled-test': banned('disabled-test'),
  mock: banned('mock'),
  'sleep-in-a-test': banned('sleep'),
  'interface-prefix': banned('interface-prefix'),
  'empty-word': banned('empty-word'),
  'http-exception-outside-http': banned('http-exception'),
  'second-consumer': banned('consumer'),
  'built-in-kafka-transport': banned('nest-kafka'),
  'synchronised-schema': banned('synchronize'),

  any: { lint: ['@typescript-eslint/no-explicit-any'] },
  'inline-permission': { lint: ['@typescript-eslint/no-explicit-any'] },
  'floating-promise': { lint: ['@typescript-eslint/no-floating-promises'] },
  'missing-case': { lint: ['@typescript-eslint/switch-exhaustiveness-check'] },
  'long-file': { check: sizeViolations, lint: ['max-lines'] },
  'long-function': { check: sizeViolations, lint: ['max-lines-per-function'] },

  'file-cycle': { check: fileCycles },
  'package-cycle': { check: packageCycles },
  'file-name': { check: nameViolations },
  'folder-name': { check: nameViolations },
  'empty-file-name': { check: nameViolations },
  'index-with-code': { check: indexViolations },
  'index-elsewhere': { check: indexViolations },
  'open-end': { check: openEndViolations },
  'silenced-compiler': { check: silencedViolations },
  'route-without-scope': { check: routeViolations },
  'lonely-suite': { check: suiteViolations },
  'forgotten-fixture': { check: forgottenTestCode },
  'phantom-package': { check: packageViolations },
  'package-without-use': { check: packageViolations },
  'package-without-tags': { check: packageViolations },
  'two-versions': { check: versionViolations },
  'root-package-without-listing': { check: rootViolations },
  'dead-link': { check: documentViolations },
  'dead-heading': { check: documentViolations },
  'missing-file': { check: documentViolations },
  'dead-reference': { check: referenceViolations },
  'missing-script': { check: documentViolations },
};
