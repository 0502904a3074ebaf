import { runCommand } from './run-command.ts';

const node = (script: string, minutesMax = 1) => ({ command: process.execPath, arguments: ['-e', script], minutesMax });
const never = new AbortController().signal;
const options = { workingDirectory: process.cwd(), interrupted: never };

describe('a command of the test run', () => {
  it('ends well, or says how it ended', async () => {
    expect(await runCommand(node('process.exit(0)'), options)).toBe('well');
    expect(await runCommand(node('process.exit(3)'), options)).toEqual({ badly: 'ended with 3' });
    expect(await runCommand(node('process.kill(process.pid, "SIGKILL")'), options)).toEqual({ badly: 'ended with SIGKILL' });
  });

  it('is stopped when it takes too long', async () => {
    expect(await runCommand(node('setInterval(() => {}, 1_000)', 0.01), options)).toEqual({
      badly: 'was stopped after 0.01 minutes',
    });
  });

  it('is stopped when the run is interrupted, before or after it began', async () => {
    const interruption = new AbortController();
    const running = runCommand(node('setInterval(() => {}, 1_000)'), { ...options, interrupted: interruption.signal });
    interruption.abort();

    expect(await running).toEqual({ badly: 'was interrupted' });
    expect(
      await runCommand(node('setInterval(() => {}, 1_000)'), { ...options, interrupted: AbortSignal.abort() }),
    ).toEqual({ badly: 'was interrupted' });
  });

  it('that does not exist ends badly', async () => {
    const outcome = await runCommand({ command: 'no-such-command', arguments: [], minutesMax: 1 }, options);

    expect(outcome).toEqual({ badly: expect.stringContaining('could not be started') as string });
  });
});
