import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@compasso/testing';
import { type ChildOptions, endLeftover, startChild } from './child.ts';
import { identityOf } from './process-identity.mjs';

function setup(script: string) {
  const directory = mkdtempSync(join(tmpdir(), 'compasso-child-'));
  const options: ChildOptions = {
    command: process.execPath,
    arguments: ['-e', script],
    environment: process.env,
    logFile: join(directory, 'child.log'),
    pidFile: join(directory, 'child.pid.json'),
    stopGraceMs: 300,
  };
  return { options, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

const waits = 'setInterval(() => {}, 1_000)';

describe('a child process', () => {
  it('writes to its log, and its pid file lives as long as it does', async () => {
    const { options, remove } = setup(`console.log('here'); ${waits}`);
    const child = await startChild(options);
    await eventually(() => readFileSync(options.logFile, 'utf8').includes('here'), {
      because: 'the child writes',
    });
    expect(JSON.parse(readFileSync(options.pidFile, 'utf8'))).toMatchObject({ pid: child.pid });
    expect(await child.stop()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(existsSync(options.pidFile)).toBe(false);
    remove();
  });

  it('that ignores the request to stop is killed', async () => {
    const { options, remove } = setup(
      `process.on('SIGTERM', () => {}); console.log('deaf'); ${waits}`,
    );
    const child = await startChild(options);
    await eventually(() => readFileSync(options.logFile, 'utf8').includes('deaf'), {
      because: 'the child is deaf',
    });
    expect(await child.stop()).toEqual({ code: null, signal: 'SIGKILL' });
    remove();
  });

  it('of an earlier run is ended before its successor starts', async () => {
    const { options, remove } = setup(waits);
    const first = await startChild(options);
    const second = await startChild(options);
    expect(await first.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(identityOf(second.pid)).toBeDefined();
    expect(await endLeftover(options.pidFile)).toBe(true);
    await second.exited;
    expect(await endLeftover(options.pidFile)).toBe(false);
    remove();
  });

  it('that cannot be started says which command', async () => {
    const { options, remove } = setup(waits);
    await expect(startChild({ ...options, command: '/nowhere/java' })).rejects.toMatchObject({
      code: 'command_not_started',
      message: expect.stringContaining('/nowhere/java'),
    });
    remove();
  });
});
