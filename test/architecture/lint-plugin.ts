// Two ESLint rules over the tables beside this file, so that an editor refuses what the architecture tests refuse.
import { relative, sep } from 'node:path';
import type { ESLint, Rule } from 'eslint';
import { type Ban, bansFor } from './bans.ts';
import { refusalOfImport } from './boundaries.ts';

const pathIn = (context: Rule.RuleContext): string => relative(context.cwd, context.filename).split(sep).join('/');

const whoMayImportWhom: Rule.RuleModule = {
  meta: { type: 'problem', schema: [], messages: { refused: '{{refusal}}.' } },
  create(context) {
    const from = pathIn(context);
    const judge = (node: Rule.Node, source: { type: string; value?: unknown } | null | undefined): void => {
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
      const refusal = refusalOfImport({ from, specifier: source.value });
      if (refusal !== undefined) context.report({ node, messageId: 'refused', data: { refusal } });
    };
    return {
      ImportDeclaration: (node) => judge(node, node.source),
      ExportNamedDeclaration: (node) => judge(node, node.source),
      ImportExpression: (node) => judge(node, node.source),
    };
  },
};

const banned: Rule.RuleModule = {
  meta: { type: 'problem', schema: [], messages: { banned: 'Banned here ({{id}}): use {{use}}.' } },
  create(context) {
    const listeners = new Map<string, Ban>();
    for (const ban of bansFor(pathIn(context))) {
      for (const selector of ban.selectors) listeners.set(selector, ban);
    }
    return Object.fromEntries(
      [...listeners].map(([selector, { id, use }]) => [
        selector,
        (node: Rule.Node) => context.report({ node, messageId: 'banned', data: { id, use } }),
      ]),
    );
  },
};

export const compasso: ESLint.Plugin = {
  meta: { name: 'compasso' },
  rules: { 'who-may-import-whom': whoMayImportWhom, banned },
};
