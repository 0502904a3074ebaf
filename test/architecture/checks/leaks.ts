// Nothing of one machine, and nothing secret, in the repository.
import { matchesGlob } from 'node:path';
import type { File } from '../repository.ts';

interface Leak {
  readonly what: string;
  readonly pattern: RegExp;
  readonly except?: string;
}

// Written in pieces, so that this file does not find itself.
const either = (...words: readonly string[]): string => `(?:${words.join('|')})`;
const registries = [
  'registry\\.(?:npmjs|yarnpkg)',
  'npm\\.pkg\\.github',
  'repo1?\\.maven',
  'files\\.pythonhosted',
  'proxy\\.golang',
  '[a-z0-9.-]*(?:artifactory|jfrog|nexus|verdaccio)[a-z0-9-]*',
];

const leaks: readonly Leak[] = [
  { what: 'the host name of a registry', pattern: new RegExp(`\\b${either(...registries)}\\.[a-z]{2,}\\b`, 'i') },
  { what: 'a path of one machine', pattern: new RegExp(`(?<![\\w.$}-])/${either('root', 'home', 'work', 'Users')}/(?!ana\\b)[\\w.-]+`) },
  { what: 'a path of one machine', pattern: /\b[A-Z]:\\Users\\/ },
  { what: 'a private key', pattern: new RegExp(`-----BEGIN ${either('[A-Z]+ ', '')}PRIVATE KEY-----`) },
  { what: 'a private key', pattern: /"d"\s*:\s*"[\w-]{32,}"/ },
  { what: 'a token', pattern: /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/ },
  { what: 'a token', pattern: /\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_\w{30,}|npm_\w{30,}|xox[bap]-[\w-]{10,})/ },
  {
    what: 'a long string of base64 in JSON',
    pattern: /"[A-Za-z0-9+/_=-]{100,}"/,
    // Golden examples hold a sealed payee for a key that was thrown away; the lock file holds digests.
    except: '{libs/contracts/{examples,released}/**,package-lock.json}',
  },
];

export const leakViolations = (files: readonly File[]): readonly string[] =>
  files.flatMap((file) =>
    leaks
      .filter(({ except }) => except === undefined || !matchesGlob(file.path, except))
      .filter(({ what }) => !what.includes('JSON') || file.path.endsWith('.json'))
      .flatMap(({ what, pattern }) => linesWith(file.text, pattern).map((line) => `${file.path}:${line} ${what}`)),
  );

const linesWith = (text: string, pattern: RegExp): readonly number[] =>
  pattern.test(text)
    ? text.split('\n').flatMap((line, index) => (pattern.test(line) ? [index + 1] : []))
    : [];
