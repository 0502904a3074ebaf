// No cycles: not between files, at run time; not between packages, whatever the imports are.
import { posix } from 'node:path';
import { isTestCode, workspaceOf } from '../boundaries.ts';
import { type File, isSource } from '../repository.ts';
import { importsOf } from '../syntax.ts';

type Graph = ReadonlyMap<string, readonly string[]>;

export const fileCycles = (files: readonly File[]): readonly string[] => cyclesOf(graphOfFiles(files));

export const packageCycles = (files: readonly File[]): readonly string[] => cyclesOf(graphOfPackages(files));

const graphOfFiles = (files: readonly File[]): Graph =>
  new Map(
    files.filter(isSource).map((file) => [
      file.path,
      importsOf(file)
        .filter(({ specifier, typeOnly }) => specifier.startsWith('.') && !typeOnly)
        .map(({ specifier }) => posix.join(posix.dirname(file.path), specifier)),
    ]),
  );

// Specs do not count: the package for tests stands on the libraries whose specs stand on it.
function graphOfPackages(files: readonly File[]): Graph {
  const graph = new Map<string, string[]>();
  for (const file of files.filter((candidate) => isSource(candidate) && !isTestCode(candidate.path))) {
    const from = workspaceOf(file.path);
    const targets = importsOf(file)
      .filter(({ specifier }) => specifier.startsWith('@compasso/'))
      .map(({ specifier }) => `libs/${specifier.split('/')[1]}`);
    graph.set(from, [...(graph.get(from) ?? []), ...targets]);
  }
  return graph;
}

/** One line per cycle, from its first name in the alphabet, so that each is told once. */
function cyclesOf(graph: Graph): readonly string[] {
  const cycles = new Set<string>();
  const done = new Set<string>();
  const walk = (node: string, path: readonly string[]): void => {
    const start = path.indexOf(node);
    if (start >= 0) {
      cycles.add(inOrder(path.slice(start)).join(' → '));
      return;
    }
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) walk(next, [...path, node]);
    done.add(node);
  };
  for (const node of graph.keys()) walk(node, []);
  return [...cycles];
}

function inOrder(cycle: readonly string[]): readonly string[] {
  const first = cycle.indexOf([...cycle].sort()[0] ?? '');
  const turned = [...cycle.slice(first), ...cycle.slice(0, first)];
  return [...turned, turned[0] ?? ''];
}
