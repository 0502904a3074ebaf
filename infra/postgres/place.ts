// Where a server keeps its data: in the directory that was asked for, when its user can reach it. A
// clone in a directory that only root may enter cannot hold them; then they live below the
// temporary directory, under a name that the asked directory remembers.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { canEnter, sharedDirectory, type SystemUser } from '../directories.ts';

const memory = 'data-elsewhere';
const origin = 'origin';

export function dataPlace(asked: string, user: SystemUser | undefined): string {
  const directory = resolve(asked);
  mkdirSync(directory, { recursive: true });
  if (canEnter(directory, user)) return directory;
  const places = sharedDirectory('postgres', user);
  removeForgotten(places);
  const remembered = join(directory, memory);
  if (!existsSync(remembered)) writeFileSync(remembered, randomUUID());
  const place = join(places, readFileSync(remembered, 'utf8'));
  mkdirSync(place, { recursive: true, mode: 0o755 });
  writeFileSync(join(place, origin), remembered);
  return place;
}

// The data of a clone that has been deleted.
function removeForgotten(places: string): void {
  for (const name of readdirSync(places)) {
    const place = join(places, name);
    const owner = join(place, origin);
    if (existsSync(owner) && !existsSync(readFileSync(owner, 'utf8')))
      rmSync(place, { recursive: true, force: true });
  }
}
