// Writes the published schemas, the AsyncAPI document and the page of the score; `--check` only compares;
// `--release` freezes them, with the golden examples, under the version of the package.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { artefacts, filesNow, packageVersion, staleAmong } from './artefacts.ts';
import { repositoryRoot } from './golden-examples.ts';
import { freeze, isReleased } from './released.ts';

type ExitCode = 0 | 1;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function write(): ExitCode {
  const generated = artefacts();
  for (const path of staleAmong(filesNow())) {
    const text = generated.get(path);
    if (text === undefined) {
      rmSync(`${repositoryRoot}${path}`);
      say(`removed ${path}`);
      continue;
    }
    mkdirSync(dirname(`${repositoryRoot}${path}`), { recursive: true });
    writeFileSync(`${repositoryRoot}${path}`, text);
    say(`wrote ${path}`);
  }
  return check();
}

function check(): ExitCode {
  const stale = staleAmong(filesNow());
  for (const path of stale) say(`${path} is not what the contracts say: run the generator`);
  if (stale.length === 0) say(`${artefacts().size} files are what the contracts say`);
  return stale.length === 0 ? 0 : 1;
}

function release(): ExitCode {
  const version = packageVersion();
  if (isReleased(version)) {
    say(`${version} is released and frozen: raise the version in libs/contracts/package.json`);
    return 1;
  }
  write();
  freeze(version);
  say(`froze libs/contracts/released/${version}`);
  return 0;
}

function main(mode: string | undefined): ExitCode {
  switch (mode) {
    case undefined:
      return write();
    case '--check':
      return check();
    case '--release':
      return release();
    default:
      say('usage: generate.ts [--check | --release]');
      return 1;
  }
}

process.exitCode = main(process.argv[2]);
