// Who may import whom: the one table. The architecture tests hold every file against it, ESLint asks it while one types,
// and ARCHITECTURE.md repeats it in words.
import { builtinModules } from 'node:module';
import { matchesGlob, posix } from 'node:path';

export interface ImportRow {
  readonly from: string;
  /** Packages of this repository, without their scope. */
  readonly own: readonly string[];
  /** Packages of others, and modules of Node. */
  readonly foreign: 'any' | 'none';
  /** Folders of its own workspace's `src`. Not given: all of them. */
  readonly folders?: readonly string[];
  /** Roots outside its own workspace that it may reach by a relative path. */
  readonly reaches?: readonly string[];
}

const libraries = ['kernel', 'contracts', 'messaging', 'postgres', 'observability', 'runtime'];
const outerRoots = ['apps', 'test', 'bench', 'tools', 'infra'];

/** The first row that matches counts. */
export const importTable: readonly ImportRow[] = [
  { from: 'libs/kernel/src/**', own: [], foreign: 'none' },
  { from: 'libs/contracts/src/**', own: ['kernel'], foreign: 'any' },
  { from: 'libs/{postgres,observability,runtime}/src/**', own: ['kernel'], foreign: 'any' },
  {
    // The shell runs over two ports: what stands behind them it does not know.
    from: 'libs/messaging/src/{ports,shell,relay}/**',
    own: ['kernel', 'contracts', 'observability'],
    foreign: 'any',
    folders: ['ports', 'shell', 'relay'],
  },
  {
    from: 'libs/messaging/src/**',
    own: ['kernel', 'contracts', 'postgres', 'observability'],
    foreign: 'any',
  },
  { from: 'libs/testing/src/**', own: libraries, foreign: 'any', reaches: ['infra'] },
  { from: 'apps/*/src/domain/**', own: ['kernel'], foreign: 'none', folders: ['domain'] },
  { from: 'apps/*/src/**', own: libraries, foreign: 'any' },
  {
    from: '{test,bench,tools,infra}/**',
    own: [...libraries, 'testing'],
    foreign: 'any',
    reaches: outerRoots,
  },
];

export interface Confinement {
  readonly package: string;
  readonly to: readonly string[];
  readonly use: string;
}

const outside = '{test,bench,tools,infra}/**';

/** Packages that one folder hides, so that they can be replaced there. */
export const confinements: readonly Confinement[] = [
  {
    package: 'kafkajs',
    // The partition spec asks kafkajs, as an oracle, whether it would choose the same partition.
    to: ['libs/messaging/src/kafka/**', 'libs/testing/src/**', 'libs/contracts/src/partition.spec.ts', outside],
    use: 'the transport port of @compasso/messaging',
  },
  {
    package: 'pg',
    to: ['libs/postgres/src/**', 'libs/messaging/src/postgres/**', 'libs/testing/src/**', outside],
    use: '@compasso/postgres, or the unit of work of @compasso/messaging',
  },
  {
    package: 'typeorm',
    to: ['libs/postgres/src/**', 'libs/testing/src/**', 'apps/*/src/postgres/**', outside],
    use: 'a query in the postgres/ folder of the service',
  },
  {
    package: 'undici',
    to: ['apps/payout-gateway/src/provider/**', 'apps/provider-simulator/src/jobs/**', outside],
    use: 'the provider port of the payout gateway',
  },
  {
    package: 'node:sqlite',
    to: ['apps/provider-simulator/src/sqlite/**', outside],
    use: 'the store of the provider simulator',
  },
  {
    package: '@nestjs/*',
    // The two edges of a service, and what composes it.
    to: ['libs/runtime/src/**', 'libs/messaging/src/nest/**', 'apps/*/src/{http,kafka}/**', 'apps/*/src/*.ts', outside],
    use: 'a plain function, called from an edge or from the module of the service',
  },
];

/** Specs and what only specs import. */
export const testCode = '**/*.{spec,features,fixture,story}.ts';
export const isTestCode = (path: string): boolean =>
  matchesGlob(path, testCode) || path.startsWith('test/');

/** `apps/ledger`, `libs/kernel`, or the first folder of what belongs to no workspace. */
export const workspaceOf = (path: string): string =>
  path.split('/').slice(0, /^(apps|libs)\//.test(path) ? 2 : 1).join('/');

export interface ImportOf {
  /** Paths are relative to the repository, with forward slashes. */
  readonly from: string;
  readonly specifier: string;
}

/** @returns why this import is refused, or undefined when it is fine. */
export function refusalOfImport({ from, specifier }: ImportOf): string | undefined {
  const row = rowOf(from);
  if (row === undefined) return undefined;
  if (specifier.startsWith('.')) return refusalOfPath(row, from, posix.join(posix.dirname(from), specifier));
  if (specifier.startsWith('@compasso/')) return refusalOfOwnPackage(row, from, specifier);
  return refusalOfForeign(row, from, specifier);
}

// Specs of one folder hold its twins and ports against each other: for them the row of the whole workspace counts.
const rowOf = (path: string): ImportRow | undefined =>
  importTable
    .filter((row) => row.folders === undefined || !isTestCode(path))
    .find((row) => matchesGlob(path, row.from));

function refusalOfPath(row: ImportRow, from: string, target: string): string | undefined {
  const workspace = workspaceOf(from);
  if (matchesGlob(target, testCode) && !isTestCode(from)) return 'product code does not import test code';
  if (workspaceOf(target) !== workspace) {
    if (workspaceOf(target).startsWith('libs/')) return 'import a library by its package name, not by a path into it';
    if (workspace.startsWith('apps/') && target.startsWith('apps/')) return 'an app never imports another app';
    // A spec may break the broker that it runs on.
    const reaches = [...(row.reaches ?? []), ...(isTestCode(from) ? ['infra'] : [])];
    return reaches.includes(target.split('/')[0] ?? '') ? undefined : `${workspace} does not reach out of itself`;
  }
  if (row.folders === undefined) return undefined;
  const [folder = ''] = target.slice(`${workspace}/src/`.length).split('/');
  return row.folders.includes(folder) ? undefined : `${row.from} imports only from ${row.folders.join(', ')}`;
}

function refusalOfOwnPackage(row: ImportRow, from: string, specifier: string): string | undefined {
  const [name = '', ...deeper] = specifier.slice('@compasso/'.length).split('/');
  if (['src', 'dist'].includes(deeper[0] ?? '')) return 'import what the package exports, not a file inside it';
  // A spec may import its own package by name: that is how another team would.
  const isItself = workspaceOf(from) === `libs/${name}` && isTestCode(from);
  if (row.own.includes(name) || isItself) return undefined;
  if (name === 'testing') return isTestCode(from) ? undefined : '@compasso/testing is for specs and test/';
  const allowed = row.own.map((allowedName) => `@compasso/${allowedName}`).join(', ');
  return `${row.from} may import of this repository: ${allowed || 'nothing'}`;
}

function refusalOfForeign(row: ImportRow, from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('node:') && builtinModules.includes(specifier)) return `write node:${specifier}`;
  const confinement = confinements.find((candidate) => isOfPackage(specifier, candidate.package));
  if (confinement !== undefined && !confinement.to.some((glob) => matchesGlob(from, glob))) {
    return `${confinement.package} stays in its own folders; use ${confinement.use}`;
  }
  if (row.foreign === 'any' || isTestCode(from)) return undefined;
  return `${row.from} imports no other package and nothing of Node`;
}

const isOfPackage = (specifier: string, name: string): boolean =>
  name.endsWith('/*')
    ? specifier.startsWith(name.slice(0, -1))
    : specifier === name || specifier.startsWith(`${name}/`);
