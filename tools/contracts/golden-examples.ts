// Golden examples and published schemas as they lie in libs/contracts, for the generator and the tests.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface GoldenExample {
  readonly topic: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Readonly<Record<string, unknown>>;
}

export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url));
export const contractsFolder = `${repositoryRoot}libs/contracts/`;

/** All JSON files of a folder by name without extension, in order of names. */
export const jsonFilesOf = <Content>(folder: string): ReadonlyMap<string, Content> =>
  new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .sort()
      .map((file) => [
        file.slice(0, -'.json'.length),
        JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')),
      ]),
  );

export const goldenExamples = (): ReadonlyMap<string, GoldenExample> =>
  jsonFilesOf(`${contractsFolder}examples`);
