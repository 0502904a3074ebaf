// Everything that is generated from the contracts, by path: one list for writing, for `--check` and for the tests.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { contracts } from '@compasso/contracts';
import { asyncApiDocument } from './asyncapi.ts';
import { contractsFolder, repositoryRoot } from './golden-examples.ts';
import { publishedSchema } from './json-schema.ts';
import { scorePage } from './score-page.ts';

export const packageVersion = (): string =>
  (JSON.parse(readFileSync(`${contractsFolder}package.json`, 'utf8')) as { version: string })
    .version;

const schemasFolder = `${contractsFolder}schemas`;

const json = (content: unknown): string => `${JSON.stringify(content, null, 2)}\n`;

/** Path from the root of the repository → text. */
export const artefacts = (): ReadonlyMap<string, string> =>
  new Map([
    ...contracts.map((contract): [string, string] => [
      `libs/contracts/schemas/${contract.name}.v${contract.version}.json`,
      json(publishedSchema(contract)),
    ]),
    ['libs/contracts/asyncapi.json', json(asyncApiDocument(packageVersion()))],
    ['docs/score.md', scorePage()],
  ]);

/** Paths that are missing, other than generated, or without a contract that they come from. */
export function staleAmong(files: ReadonlyMap<string, string>): readonly string[] {
  const generated = artefacts();
  return [
    ...[...generated].filter(([path, text]) => files.get(path) !== text).map(([path]) => path),
    ...[...files.keys()].filter((path) => !generated.has(path)),
  ];
}

/** What lies in the repository now, at the paths and in the folder that the generator owns. */
export function filesNow(): ReadonlyMap<string, string> {
  const schemas = existsSync(schemasFolder) ? readdirSync(schemasFolder) : [];
  const paths = new Set([
    ...artefacts().keys(),
    ...schemas.map((file) => `libs/contracts/schemas/${file}`),
  ]);
  return new Map(
    [...paths]
      .filter((path) => existsSync(`${repositoryRoot}${path}`))
      .map((path) => [path, readFileSync(`${repositoryRoot}${path}`, 'utf8')]),
  );
}
