import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../infra/child.ts';
import { identityOf } from '../../infra/process-identity.mjs';
import { type ProcessPlan, SupervisedProcess } from './supervised-process.ts';

const waits = 'setInterval(() => {}, 1_000)';
const withinMs = 15_000;

function setup(script: string, { failuresBeforeReadyMax = 3 } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'compasso-supervised-'));
  const said: string[] = [];
  // A process that exits at once is never ready.
  const health = { isReady: script === waits };
  const plan: ProcessPlan = {
    name: 'ledger',
    replica: 1,
    logFile: join(directory, 'ledger.log'),
    failuresBeforeReadyMax,
    start: async () =>
      startChild({
        command: process.execPath,
        arguments: ['-e', script],
        environment: process.env,
        logFile: join(directory, 'ledger.log'),
        pidFile: join(directory, 'ledger.pid.json'),
      }),
    isReady: async () => health.isReady,
  };
  const supervised = new SupervisedProcess(plan, (sentence) => said.push(sentence));
  return {
    supervised,
    said,
    health,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

describe('a supervised process', () => {
  it('that is killed comes back under another pid, and it is said', async () => {
    const { supervised, said, remove } = setup(waits);
    supervised.start();
    const first = await supervised.ready({ withinMs });
    expect(supervised.kill('SIGKILL')).toBe(first);
    const second = await supervised.ready({ except: first, withinMs });
    expect(second).not.toBe(first);
    expect(identityOf(second)).toBeDefined();
    expect(said).toEqual([
      `ledger 1 (pid ${first}) was ended by SIGKILL; starting it again`,
      `ledger 1 (pid ${second}) is ready again`,
    ]);
    await supervised.stop();
    remove();
  });

  it('is ready only while it says so', async () => {
    const { supervised, health, remove } = setup(waits);
    supervised.start();
    const pid = await supervised.ready({ withinMs });
    health.isReady = false;
    await expect(supervised.ready({ withinMs: 300 })).rejects.toMatchObject({ code: 'not_ready' });
    health.isReady = true;
    expect(await supervised.ready({ withinMs })).toBe(pid);
    await supervised.stop();
    remove();
  });

  it('leaves nothing when it is stopped, not even while it is started again', async () => {
    const { supervised, remove } = setup(waits);
    supervised.start();
    const pid = await supervised.ready({ withinMs });
    supervised.kill('SIGKILL');
    await supervised.stop();
    expect(identityOf(pid)).toBeUndefined();
    expect(supervised.report()).toMatchObject({ pid: null, ready: false });
    remove();
  });

  it('that never becomes ready is given up after a few tries', async () => {
    const { supervised, remove } = setup('process.exit(1)');
    supervised.start();
    await expect(supervised.ready({ withinMs })).rejects.toMatchObject({
      code: 'process_exited',
      message: expect.stringMatching(/exited with 1 \(3 times\), see .*ledger\.log$/),
    });
    await supervised.stop();
    remove();
  });

  it('is not started once it has been stopped', async () => {
    const { supervised, remove } = setup(waits);
    await supervised.stop();
    supervised.start();
    await expect(supervised.ready({ withinMs: 300 })).rejects.toMatchObject({ code: 'not_ready' });
    remove();
  });
});
