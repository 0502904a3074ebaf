import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../infra/child.ts';
import { runDirectory, supervisorOf, takeRunDirectory } from './run-directory.ts';

function setup() {
  const directory = runDirectory(mkdtempSync(join(tmpdir(), 'compasso-run-')));
  return { directory, remove: () => rmSync(directory.path, { recursive: true, force: true }) };
}

describe('a run directory', () => {
  it('belongs to one supervisor at a time', async () => {
    const { directory, remove } = setup();
    const release = await takeRunDirectory(directory, { fresh: false });
    expect(supervisorOf(directory)?.pid).toBe(process.pid);
    await expect(takeRunDirectory(directory, { fresh: false })).rejects.toMatchObject({
      code: 'system_running',
    });
    release();
    expect(supervisorOf(directory)).toBeUndefined();
    remove();
  });

  it('of a killed supervisor is taken over, and what it left running is ended', async () => {
    const { directory, remove } = setup();
    writeFileSync(
      join(directory.path, 'supervisor.lock'),
      JSON.stringify({ pid: process.pid, startedAt: 'long ago' }),
    );
    const left = await startChild({
      command: process.execPath,
      arguments: ['-e', 'setInterval(() => {}, 1_000)'],
      environment: process.env,
      logFile: directory.logFile('ledger', 1),
      pidFile: directory.pidFile('ledger', 1),
    });
    const release = await takeRunDirectory(directory, { fresh: false });
    expect(await left.exited).toMatchObject({ signal: 'SIGTERM' });
    release();
    remove();
  });

  it('keeps the data of the last run unless a fresh one is asked for', async () => {
    const { directory, remove } = setup();
    const kept = join(directory.path, 'database-passwords.json');
    writeFileSync(kept, '{}');
    (await takeRunDirectory(directory, { fresh: false }))();
    expect(existsSync(kept)).toBe(true);
    (await takeRunDirectory(directory, { fresh: true }))();
    expect(existsSync(kept)).toBe(false);
    remove();
  });
});
