// The repository as the architecture tests see it: its files and their text. A fixture is a small repository of its own,
// whose files stand at the paths where they would break the rule.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
export const fixturesDirectory = join(import.meta.dirname, 'fixtures');

export interface File {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const notOurs = new Set(['node_modules', 'dist', 'coverage', '.git', '.nx', '.compasso']);

/** Every file that git would track. */
export const repository: readonly File[] = filesOf(root, fixturesDirectory);

export const fixture = (name: string): readonly File[] => filesOf(join(fixturesDirectory, name));

export const fixtureNames: readonly string[] = readdirSync(fixturesDirectory, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

export const isSource = ({ path }: File): boolean => /\.(ts|mts|mjs)$/.test(path);

function filesOf(directory: string, except?: string): readonly File[] {
  return pathsUnder(directory, except).map((path) => ({
    path: relative(directory, path).split(sep).join('/'),
    text: readFileSync(path, 'utf8'),
  }));
}

function pathsUnder(directory: string, except: string | undefined): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (notOurs.has(entry.name) || entry.isSymbolicLink() || path === except) return [];
    return entry.isDirectory() ? pathsUnder(path, except) : [path];
  });
}
