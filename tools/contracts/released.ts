// Released versions lie under libs/contracts/released/<version>, with a digest per file: they are compared for ever
// and never edited. Reading and freezing happen here; what may differ is judged by compatibility.ts.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { contractsFolder, type GoldenExample, jsonFilesOf } from './golden-examples.ts';
import type { JsonSchema } from './json-schema.ts';

export interface Release {
  readonly version: string;
  readonly schemas: ReadonlyMap<string, JsonSchema>;
  readonly examples: ReadonlyMap<string, GoldenExample>;
}

const releasedFolder = `${contractsFolder}released`;
const frozenFolders = ['schemas', 'examples'] as const;
export const digestsFile = 'SHA256SUMS';

export const releasedVersions = (): readonly string[] =>
  existsSync(releasedFolder) ? readdirSync(releasedFolder).sort() : [];

export const isReleased = (version: string): boolean => releasedVersions().includes(version);

export const releases = (): readonly Release[] =>
  releasedVersions().map((version) => ({
    version,
    schemas: jsonFilesOf(`${releasedFolder}/${version}/schemas`),
    examples: jsonFilesOf(`${releasedFolder}/${version}/examples`),
  }));

export function freeze(version: string): void {
  const target = `${releasedFolder}/${version}`;
  mkdirSync(target, { recursive: true });
  for (const folder of frozenFolders) {
    cpSync(`${contractsFolder}${folder}`, `${target}/${folder}`, { recursive: true });
  }
  writeFileSync(`${target}/${digestsFile}`, digestsOf(version));
}

/** In the form of `sha256sum`, so that anybody can check it without us. */
export const digestsOf = (version: string): string =>
  frozenFolders
    .flatMap((folder) =>
      readdirSync(`${releasedFolder}/${version}/${folder}`)
        .sort()
        .map((file) => `${folder}/${file}`),
    )
    .map((file) => {
      const bytes = readFileSync(`${releasedFolder}/${version}/${file}`);
      return `${createHash('sha256').update(bytes).digest('hex')}  ${file}\n`;
    })
    .join('');

export const recordedDigestsOf = (version: string): string =>
  readFileSync(`${releasedFolder}/${version}/${digestsFile}`, 'utf8');
