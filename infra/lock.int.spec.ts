import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireLock, ownerOf } from './lock.mjs';
import { identityOf } from './process-identity.mjs';

const lockModule = join(import.meta.dirname, 'lock.mjs');

async function setup() {
  const directory = mkdtempSync(join(tmpdir(), 'compasso-lock-'));
  return {
    path: join(directory, 'a.lock'),
    directory,
    remove: () => rmSync(directory, { recursive: true }),
  };
}

/**
 * A process that tries to take the lock, says what came of it, and keeps what it got until it is
 * killed.
 */
async function contender(path: string) {
  const script = `
    import { acquireLock } from ${JSON.stringify(lockModule)};
    console.log(acquireLock(${JSON.stringify(path)}).owner === undefined ? 'got it' : 'held');
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [answer] = await once(child.stdout, 'data');
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { answer: String(answer).trim(), pid: child.pid ?? 0, kill };
}

describe('a lock between processes', () => {
  it('names its owner to whoever comes second', async () => {
    const { path, remove } = await setup();
    const first = acquireLock(path);
    expect(acquireLock(path)).toEqual({ owner: identityOf(process.pid) });
    first.release?.();
    expect(acquireLock(path).release).toBeDefined();
    remove();
  });

  it('of a killed process is taken over', async () => {
    const { path, remove } = await setup();
    const killed = await contender(path);
    expect(ownerOf(path)?.pid).toBe(killed.pid);
    await killed.kill();
    expect(acquireLock(path).release).toBeDefined();
    remove();
  });

  it('is stale when its pid has gone to another process', async () => {
    const { path, remove } = await setup();
    writeFileSync(path, JSON.stringify({ pid: process.pid, startedAt: 'another boot/1' }));
    expect(acquireLock(path).release).toBeDefined();
    remove();
  });

  it('that is stale goes to exactly one of many, and leaves nothing else behind', async () => {
    const { path, directory, remove } = await setup();
    writeFileSync(path, JSON.stringify({ pid: 1, startedAt: 'another boot/1' }));
    const all = await Promise.all(Array.from({ length: 6 }, () => contender(path)));
    expect(all.filter(({ answer }) => answer === 'got it')).toHaveLength(1);
    expect(readdirSync(directory)).toEqual(['a.lock']);
    await Promise.all(all.map(({ kill }) => kill()));
    remove();
  });
});
