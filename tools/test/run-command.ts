// Runs one command of the test run in a process group of its own, within a limit of time. A run that is interrupted, or
// late, is asked to stop first: it has a Kafka and a Postgres to end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Ended } from './tally.ts';

export interface Command {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly minutesMax: number;
}

export interface RunOptions {
  readonly workingDirectory: string;
  readonly interrupted: AbortSignal;
}

const stopGraceMs = 30_000;

export async function runCommand(command: Command, { workingDirectory, interrupted }: RunOptions): Promise<Ended> {
  const child = spawn(command.command, command.arguments, {
    cwd: workingDirectory,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const late = AbortSignal.timeout(command.minutesMax * 60_000);
  let killing: NodeJS.Timeout | undefined;
  const stop = (): void => {
    signalGroup(child.pid, 'SIGTERM');
    killing ??= setTimeout(() => signalGroup(child.pid, 'SIGKILL'), stopGraceMs);
  };
  late.addEventListener('abort', stop, { once: true });
  interrupted.addEventListener('abort', stop, { once: true });
  if (interrupted.aborted) stop();
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (interrupted.aborted) return { badly: 'was interrupted' };
    if (late.aborted) return { badly: `was stopped after ${command.minutesMax} minutes` };
    return code === 0 ? 'well' : { badly: `ended with ${code ?? signal}` };
  } catch (error) {
    return { badly: `could not be started: ${error instanceof Error ? error.message : 'unknown'}` };
  } finally {
    clearTimeout(killing);
    late.removeEventListener('abort', stop);
    interrupted.removeEventListener('abort', stop);
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The group is gone: that is what was wanted.
  }
}
