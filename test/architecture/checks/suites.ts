// A behaviour suite of a port is worth something when the twin in memory and the real thing both run it.
import { posix } from 'node:path';
import { type File, isSource } from '../repository.ts';
import { importsOf } from '../syntax.ts';

export const suiteViolations = (files: readonly File[]): readonly string[] =>
  files
    .filter(({ path }) => path.endsWith('.features.ts'))
    .flatMap(({ path }) => {
      const users = files.filter((file) => file.path.endsWith('.spec.ts') && importsFile(file, path));
      return users.length >= 2 ? [] : [`${path} is run by ${users.length} spec: a suite needs two`];
    });

/** A file that only specs may import, and that none imports. */
export const forgottenTestCode = (files: readonly File[]): readonly string[] =>
  files
    .filter(({ path }) => /\.(fixture|story)\.ts$/.test(path))
    .filter(({ path }) => !files.some((file) => isSource(file) && (importsFile(file, path) || names(file, path))))
    .map(({ path }) => `${path} is used by no spec`);

const importsFile = (file: File, path: string): boolean =>
  importsOf(file).some(({ specifier }) => posix.join(posix.dirname(file.path), specifier) === path);

// A fixture that runs as a process of its own is named, not imported.
const names = (file: File, path: string): boolean => file.path !== path && file.text.includes(posix.basename(path));
