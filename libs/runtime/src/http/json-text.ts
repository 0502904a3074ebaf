// What JSON.parse lets pass and we do not: a field named twice (which of the two amounts was
// meant?), names that poison prototypes, and nesting that would exhaust the stack of whoever walks
// the value.
import type { StandardProblemCode } from './standard-problems.ts';

export const jsonLimits = { depthMax: 32 } as const;

type Flaw = Extract<StandardProblemCode, 'json_too_deep' | 'duplicate_field' | 'forbidden_field'>;

const forbiddenNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The first flaw of `text`, which must already have passed JSON.parse. */
export function flawOfJson(text: string): Flaw | undefined {
  /** One entry per open bracket: the names seen so far in an object, nothing in an array. */
  const open: (Set<string> | undefined)[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      const names = open.at(-1);
      if (names && isName(text, end)) {
        const flaw = flawOfName(text.slice(at, end), names);
        if (flaw) return flaw;
      }
      at = end;
      continue;
    }
    if (character === '{') open.push(new Set());
    else if (character === '[') open.push(undefined);
    else if (character === '}' || character === ']') open.pop();
    if (open.length > jsonLimits.depthMax) return 'json_too_deep';
    at += 1;
  }
  return undefined;
}

function flawOfName(quoted: string, names: Set<string>): Flaw | undefined {
  const name = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (forbiddenNames.has(name)) return 'forbidden_field';
  if (names.has(name)) return 'duplicate_field';
  names.add(name);
  return undefined;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** In valid JSON a string is a name exactly when a colon follows. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (/\s/.test(text[at] ?? '')) at += 1;
  return text[at] === ':';
}
