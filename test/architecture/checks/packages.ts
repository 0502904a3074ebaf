// Each package.json lists exactly what its sources import: a package that happens to be installed for somebody else is
// gone on the day they stop using it.
import { matchesGlob, posix } from 'node:path';
import { isTestCode } from '../boundaries.ts';
import { type File, isSource, repository } from '../repository.ts';
import { importsOf } from '../syntax.ts';

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly type?: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly nx?: { readonly tags?: readonly string[] };
}

/** Needed at run time by a package that is listed, without being imported here: a peer that npm leaves to us. */
const silentPeers: Readonly<Record<string, string>> = {
  'reflect-metadata': '@nestjs/common',
  '@nestjs/common': '@nestjs/microservices',
  rxjs: '@nestjs/common',
  '@nestjs/core': '@nestjs/common',
  '@nestjs/platform-fastify': '@nestjs/core',
  '@nestjs/microservices': '@nestjs/core',
};

/** Files outside the workspaces that import packages: they take theirs from the root. */
const rootSources = '{tools,infra,bench,test}/**';

export interface Workspace {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly sources: readonly File[];
}

export const workspacesOf = (files: readonly File[]): readonly Workspace[] =>
  files
    .filter(({ path }) => matchesGlob(path, '{apps,libs}/*/package.json'))
    .map(({ path, text }) => {
      const directory = posix.dirname(path);
      const sources = files.filter((file) => isSource(file) && file.path.startsWith(`${directory}/src/`));
      return { directory, manifest: JSON.parse(text) as Manifest, sources };
    });

export const packageViolations = (files: readonly File[]): readonly string[] =>
  workspacesOf(files).flatMap((workspace) => [
    ...phantoms(workspace),
    ...unused(workspace),
    ...undeclaredPaths(workspace, files),
    ...formViolations(workspace),
  ]);

export function rootViolations(files: readonly File[]): readonly string[] {
  const listed = namesIn(rootManifest(files).devDependencies);
  const sources = files.filter((file) => isSource(file) && (matchesGlob(file.path, rootSources) || !file.path.includes('/')));
  return [...packagesOf(sources)]
    .filter((name) => !listed.has(name) && !name.startsWith('@compasso/'))
    .map((name) => `package.json does not list ${name}, which tools, infra, bench or test import`);
}

/** One version of a package in the whole repository, written out. */
export function versionViolations(files: readonly File[]): readonly string[] {
  const manifests = [rootManifest(files), ...workspacesOf(files).map(({ manifest }) => manifest)];
  const versions = new Map<string, Set<string>>();
  for (const { dependencies = {}, devDependencies = {} } of manifests) {
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      versions.set(name, (versions.get(name) ?? new Set()).add(version));
    }
  }
  return [...versions].flatMap(([name, found]) => {
    const isExact = [...found].every((version) => /^(npm:[@a-z0-9/.-]+@)?\d+\.\d+\.\d+(-[a-z0-9.]+)?$/.test(version));
    return found.size === 1 && isExact ? [] : [`${name}: ${[...found].join(', ')} (one exact version)`];
  });
}

function phantoms({ directory, manifest, sources }: Workspace): readonly string[] {
  const listed = namesIn(manifest.dependencies);
  const forTests = new Set([...listed, ...namesIn(manifest.devDependencies), ...namesIn(rootManifest(repository).devDependencies)]);
  // The package for tests is never deployed: what it needs may come with the tools.
  const isForTests = ({ path }: File): boolean => isTestCode(path) || directory === 'libs/testing';
  const product = packagesOf(sources.filter((file) => !isForTests(file)));
  const tests = packagesOf(sources.filter(isForTests));
  return [
    ...[...product].filter((name) => !listed.has(name)),
    ...[...tests].filter((name) => !forTests.has(name) && !isKnownToTests(name, manifest)),
  ].map((name) => `${directory}/package.json does not list ${name}, which its sources import`);
}

// Specs of every workspace may use the package for tests; a spec may import its own package by name.
const isKnownToTests = (name: string, manifest: Manifest): boolean =>
  name === '@compasso/testing' || name === manifest.name;

function unused({ directory, manifest, sources }: Workspace): readonly string[] {
  const imported = packagesOf(sources);
  const listed = namesIn(manifest.dependencies);
  return [...listed]
    .filter((name) => !imported.has(name) && !listed.has(silentPeers[name] ?? ''))
    .map((name) => `${directory}/package.json lists ${name}, which its sources do not import`);
}

function undeclaredPaths({ manifest }: Workspace, files: readonly File[]): readonly string[] {
  const declared = new Set(Object.keys(manifest.exports ?? {}).map((path) => posix.join(manifest.name, path)));
  return files.filter(isSource).flatMap((file) =>
    importsOf(file)
      .map(({ specifier }) => specifier)
      .filter((specifier) => specifier.startsWith(`${manifest.name}/`) && !declared.has(specifier))
      .map((specifier) => `${file.path} imports ${specifier}, which ${manifest.name} does not export`),
  );
}

function formViolations({ directory, manifest }: Workspace): readonly string[] {
  const tags = manifest.nx?.tags ?? [];
  return [
    ...(manifest.name === `@compasso/${posix.basename(directory)}` ? [] : ['name is not that of its folder']),
    ...(manifest.license === 'Apache-2.0' ? [] : ['license is not Apache-2.0']),
    ...(manifest.type === 'module' ? [] : ['type is not module']),
    ...(tags.some((tag) => tag.startsWith('type:')) && tags.some((tag) => tag.startsWith('scope:'))
      ? []
      : ['no type: or scope: tag, so that Nx knows no boundary']),
  ].map((complaint) => `${directory}/package.json: ${complaint}`);
}

const rootManifest = (files: readonly File[]): Manifest =>
  JSON.parse(files.find(({ path }) => path === 'package.json')?.text ?? '{}') as Manifest;

const namesIn = (listed: Readonly<Record<string, string>> = {}): ReadonlySet<string> => new Set(Object.keys(listed));

const packagesOf = (files: readonly File[]): ReadonlySet<string> =>
  new Set(
    files
      .flatMap(importsOf)
      .map(({ specifier }) => specifier)
      .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
      .map((specifier) => specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/')),
  );
