// What a document points at exists: links, anchors, files it names, scripts it tells one to run.
import { matchesGlob, posix } from 'node:path';
import { workspaceOf } from '../boundaries.ts';
import { type File, isSource } from '../repository.ts';

const roots = ['apps', 'libs', 'test', 'bench', 'tools', 'infra', 'docs', 'examples', '.ci'];
const generated = '**/{dist,node_modules,coverage}/**';

export const documentViolations = (files: readonly File[]): readonly string[] => {
  const paths = files.map(({ path }) => path);
  const exists = (path: string): boolean => paths.some((candidate) => standsFor(path, candidate));
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap((file) => {
      const scripts = scriptsAt(file.path, files);
      return file.text.split('\n').flatMap((line, index) => {
        const complaints = [
          ...brokenLinks(file, line, files, exists),
          ...missingFiles(line, exists),
          ...missingScripts(line, scripts),
        ];
        return complaints.map((complaint) => `${file.path}:${index + 1} ${complaint}`);
      });
    });
};

// Those of the root, those of the workspace in which the document stands, and those that it names with `-w`.
function scriptsAt(document: string, files: readonly File[]): ReadonlySet<string> {
  const named = files.filter(({ path }) => matchesGlob(path, '{package.json,{apps,libs}/*/package.json}'));
  return new Set(
    named.flatMap(({ path, text }) => {
      const { name, scripts = {} } = JSON.parse(text) as { name?: string; scripts?: object };
      const isNear = path === 'package.json' || path === `${workspaceOf(document)}/package.json`;
      return Object.keys(scripts).flatMap((script) => [`-w ${name} ${script}`, ...(isNear ? [script] : [])]);
    }),
  );
}

// A file, a folder, or a pattern that at least one file fits.
const standsFor = (path: string, candidate: string): boolean =>
  candidate === path ||
  candidate.startsWith(`${path.replace(/\/$/, '')}/`) ||
  (/[*{]/.test(path) && (matchesGlob(candidate, path) || matchesGlob(candidate, `${path.replace(/\/$/, '')}/**`)));

function brokenLinks(
  document: File,
  line: string,
  files: readonly File[],
  exists: (path: string) => boolean,
): readonly string[] {
  return [...line.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    const [path = '', anchor] = target.split('#');
    const resolved = path === '' ? document.path : posix.join(posix.dirname(document.path), path);
    if (!exists(resolved)) return [`links to ${target}, which does not exist`];
    const linked = files.find((file) => file.path === resolved);
    const isKnown = anchor === undefined || linked === undefined || anchorsOf(linked.text).has(anchor);
    return isKnown ? [] : [`links to ${target}: no such heading`];
  });
}

const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .split('\n')
      .filter((line) => /^#+ /.test(line))
      .map((line) => line.replace(/^#+ /, '').toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').trim().replaceAll(' ', '-')),
  );

// Paths in code spans. A placeholder in angle brackets or capitals names no file.
function missingFiles(line: string, exists: (path: string) => boolean): readonly string[] {
  return [...line.matchAll(/`([\w.@*{},/-]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => roots.some((root) => path.startsWith(`${root}/`)))
    .filter((path) => !matchesGlob(path, generated) && !/\/(NNNN|X)\b/.test(path))
    .filter((path) => !exists(path))
    .map((path) => `names ${path}, which does not exist`);
}

const missingScripts = (line: string, scripts: ReadonlySet<string>): readonly string[] =>
  [...line.matchAll(/\bnpm run (?:-s )?((?:-w @[\w/-]+ )?[a-z][\w:-]*)/g)]
    .map(([, script = '']) => script)
    .filter((script) => !scripts.has(script))
    .map((script) => `runs npm run ${script}, which does not exist`);

/** What a comment in the code points at: documents, and the spec that proves what it says. */
export const referenceViolations = (files: readonly File[]): readonly string[] => {
  const paths = files.map(({ path }) => path);
  const exists = (name: string): boolean => paths.some((path) => path === name || path.endsWith(`/${name}`));
  return files.filter(isSource).flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) =>
      [...line.matchAll(/(?<![\w*./-])(docs\/[\w./-]+\.md|[a-z][\w.-]*\.spec\.ts)\b/g)]
        .map(([, name = '']) => name)
        .filter((name) => !exists(name))
        .map((name) => `${path}:${index + 1} points at ${name}, which does not exist`),
    ),
  );
};
