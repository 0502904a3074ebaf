import { spawnSync } from 'node:child_process';
import { CodedError } from '@compasso/kernel';
import type { SystemUser } from '../directories.ts';

const candidates = ['postgres', 'nobody'];

/** Postgres refuses to run as root: then it runs as another user. Undefined means: as ourselves. */
export function serverUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of candidates) {
    const [uid, gid] = [numberOf('-u', name), numberOf('-g', name)];
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new CodedError(
    'no_server_user',
    `Postgres cannot run as root, and there is no user ${candidates.join(' or ')}: be another user`,
  );
}

function numberOf(flag: '-u' | '-g', name: string): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
  return status === 0 ? Number(stdout.trim()) : undefined;
}
