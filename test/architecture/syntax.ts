// What the checks read from a source file: its imports, its functions and its comments.
import ts from 'typescript';
import type { File } from './repository.ts';

export interface ImportSite {
  readonly specifier: string;
  readonly line: number;
  /** `import type`: erased. An inline `type` leaves the import behind, with no names (verbatimModuleSyntax). */
  readonly typeOnly: boolean;
}

export interface FunctionSite {
  readonly line: number;
  readonly lines: number;
  /** Holds tests: the body of a `describe`, or a behaviour suite. */
  readonly isSuite: boolean;
}

const parsed = new WeakMap<File, ts.SourceFile>();

export function parse(file: File): ts.SourceFile {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const made = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  parsed.set(file, made);
  return made;
}

export const statementsOf = (file: File): readonly ts.Statement[] => parse(file).statements;

export const isListOfNames = (statement: ts.Statement): boolean =>
  ts.isExportDeclaration(statement) &&
  statement.moduleSpecifier !== undefined &&
  statement.exportClause !== undefined &&
  ts.isNamedExports(statement.exportClause);

/** Static imports, re-exports, `import('…')` and `import type('…')`, wherever they stand. */
export function importsOf(file: File): readonly ImportSite[] {
  return collect(file, (node, line) => {
    const found = specifierOf(node);
    return found === undefined ? undefined : { ...found, line: line(node) };
  });
}

export function functionsOf(file: File): readonly FunctionSite[] {
  return collect(file, (node, line) => {
    if (!isFunctionWithBody(node)) return undefined;
    const first = line(node);
    const last = parse(file).getLineAndCharacterOfPosition(node.getEnd()).line + 1;
    return { line: first, lines: last - first + 1, isSuite: callsTests(node) };
  });
}

function collect<Found>(
  file: File,
  pick: (node: ts.Node, line: (node: ts.Node) => number) => Found | undefined,
): readonly Found[] {
  const source = parse(file);
  const line = (node: ts.Node): number => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    const picked = pick(node, line);
    if (picked !== undefined) found.push(picked);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const isFunctionWithBody = (node: ts.Node): boolean => ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;

const testWords = new Set(['describe', 'it', 'test']);

function callsTests(node: ts.Node): boolean {
  if (ts.isCallExpression(node) && testWords.has(calledName(node.expression))) return true;
  return ts.forEachChild(node, (child) => callsTests(child) || undefined) ?? false;
}

// `it`, `it.each`, `it.each(table)`: the word at the very left.
function calledName(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  const inner = expression as { readonly expression?: ts.Expression };
  return inner.expression === undefined ? '' : calledName(inner.expression);
}

function specifierOf(node: ts.Node): Omit<ImportSite, 'line'> | undefined {
  if (ts.isImportDeclaration(node)) return written(node.moduleSpecifier, isTypeOnly(node.importClause));
  if (ts.isExportDeclaration(node)) return written(node.moduleSpecifier, node.isTypeOnly);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return written(node.argument.literal, true);
  if (ts.isCallExpression(node) && isLoading(node.expression)) return written(node.arguments[0], false);
  return undefined;
}

const isTypeOnly = (clause: ts.ImportClause | undefined): boolean =>
  clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;

const isLoading = (expression: ts.Expression): boolean =>
  expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(expression) && expression.text === 'require');

const written = (node: ts.Node | undefined, typeOnly: boolean): Omit<ImportSite, 'line'> | undefined =>
  node !== undefined && ts.isStringLiteralLike(node) ? { specifier: node.text, typeOnly } : undefined;
