// Names of files and folders, what an index holds, and open ends in the code.
import { matchesGlob } from 'node:path';
import { type File, isSource } from '../repository.ts';
import { isListOfNames, statementsOf } from '../syntax.ts';

const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const emptyFolders = ['app', 'lib', 'common', 'utils', 'util', 'shared', 'helpers', 'misc'];
const emptyWords = /(^|[-.])(manager|helper|util|utils|base|impl|dto)([-.]|$)/;
const isLibraryIndex = (path: string): boolean => matchesGlob(path, 'libs/*/src/index.ts');

export const nameViolations = (files: readonly File[]): readonly string[] =>
  files.filter(isSource).flatMap(({ path }) => {
    const segments = path.split('/');
    return [
      ...segments.filter((name) => !kebabCase.test(name)).map((name) => `${path}: ${name} is not kebab-case`),
      ...segments.filter((name) => emptyFolders.includes(name)).map((name) => `${path}: a folder called ${name} says nothing`),
      ...(path.includes('/domain/') && emptyWords.test(segments.at(-1) ?? '')
        ? [`${path}: a word that no payments engineer uses`]
        : []),
    ];
  });

export const indexViolations = (files: readonly File[]): readonly string[] =>
  files
    .filter(({ path }) => /(^|\/)index\.m?ts$/.test(path))
    .flatMap((file) => {
      if (!isLibraryIndex(file.path)) return [`${file.path}: an index stands only at the root of a library`];
      return statementsOf(file).every(isListOfNames) ? [] : [`${file.path}: an index lists names, and nothing else`];
    });

export const openEndViolations = (files: readonly File[]): readonly string[] =>
  files.filter(isSource).flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      if (!/\/\/.*\b(TODO|FIXME|XXX|HACK)\b|^\s*\*.*\b(TODO|FIXME)\b/.test(line)) return [];
      return /\b(TODO|FIXME)\b.*#\d+/.test(line) ? [] : [`${path}:${index + 1} an open end without an issue number`];
    }),
  );

/** A lint rule or a type error that is switched off in a file is a rule that does not hold. */
export const silencedViolations = (files: readonly File[]): readonly string[] =>
  files.filter(isSource).flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) =>
      /^\s*(\/\/|\/\*|\{\/\*)?\s*(@ts-(ignore|nocheck|expect-error)|eslint-disable)/.test(line)
        ? [`${path}:${index + 1} switches a check off`]
        : [],
    ),
  );
