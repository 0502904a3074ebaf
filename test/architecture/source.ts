// The repository as the architecture tests see it: its files, and what each source file imports.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';

export const root = join(import.meta.dirname, '..', '..');

const notOurs = new Set(['node_modules', 'dist', 'coverage', '.git', '.nx', '.compasso']);
const fixtures = 'test/architecture/fixtures/';

/** Every file that belongs to the repository, relative to it, with forward slashes; without the fixtures, which break rules. */
export const everyFile: readonly string[] = filesUnder(root)
  .map((path) => relative(root, path).split(sep).join('/'))
  .filter((path) => !path.startsWith(fixtures))
  .sort();

export const sourceFiles: readonly string[] = everyFile.filter((path) => /\.(ts|mts|mjs)$/.test(path));

export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (notOurs.has(entry.name) || entry.isSymbolicLink()) return [];
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

export interface ImportSite {
  readonly specifier: string;
  readonly line: number;
  /** Erased by the compiler: cannot make a cycle at run time. */
  readonly typeOnly: boolean;
}

const parsed = new Map<string, ts.SourceFile>();

export function parse(path: string, text = textOf(path)): ts.SourceFile {
  const known = parsed.get(path);
  if (known?.text === text) return known;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  parsed.set(path, file);
  return file;
}

/** Static imports, re-exports, `import('…')` and `import type('…')`, wherever they stand. */
export function importsOf(file: ts.SourceFile): readonly ImportSite[] {
  const sites: ImportSite[] = [];
  const visit = (node: ts.Node): void => {
    const found = specifierOf(node);
    if (found !== undefined) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      sites.push({ ...found, line: line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return sites;
}

function specifierOf(node: ts.Node): Omit<ImportSite, 'line'> | undefined {
  if (ts.isImportDeclaration(node)) {
    return written(node.moduleSpecifier, isErased(node.importClause));
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    return written(node.moduleSpecifier, node.isTypeOnly);
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return written(node.argument.literal, true);
  if (ts.isCallExpression(node) && isLoading(node.expression)) return written(node.arguments[0], false);
  return undefined;
}

const isLoading = (expression: ts.Expression): boolean =>
  expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(expression) && expression.text === 'require');

const written = (node: ts.Node | undefined, typeOnly: boolean): Omit<ImportSite, 'line'> | undefined =>
  node !== undefined && ts.isStringLiteralLike(node) ? { specifier: node.text, typeOnly } : undefined;

function isErased(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const names = clause.namedBindings;
  return (
    clause.name === undefined &&
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.length > 0 &&
    names.elements.every((element) => element.isTypeOnly)
  );
}
