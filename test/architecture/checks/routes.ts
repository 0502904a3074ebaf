// Every route says what it asks of its caller: a scope, or nothing at all, in so many words. A route that forgot to say would
// answer whoever has any token.
import ts from 'typescript';
import { type File, isSource } from '../repository.ts';
import { statementsOf } from '../syntax.ts';

const methods = new Set(['Get', 'Post', 'Put', 'Patch', 'Delete', 'Options', 'Head', 'All', 'Sse']);
const answers = new Set(['RequireScope', 'Public']);

export const routeViolations = (files: readonly File[]): readonly string[] =>
  files
    .filter((file) => isSource(file) && file.path.startsWith('apps/'))
    .flatMap((file) =>
      statementsOf(file)
        .filter((statement) => ts.isClassDeclaration(statement))
        .flatMap((controller) =>
          openRoutesOf(controller).map((route) => `${file.path}: ${route} names no scope and is not marked public`),
        ),
    );

const openRoutesOf = (controller: ts.ClassDeclaration): readonly string[] =>
  says(controller, answers)
    ? []
    : controller.members
        .filter((member) => says(member, methods) && !says(member, answers))
        .map((member) => member.name?.getText() ?? 'a route');

const says = (node: ts.HasDecorators | ts.ClassElement, words: ReadonlySet<string>): boolean =>
  ts.canHaveDecorators(node) &&
  (ts.getDecorators(node) ?? []).some(({ expression }) => {
    const called = ts.isCallExpression(expression) ? expression.expression : expression;
    return ts.isIdentifier(called) && words.has(called.text);
  });
