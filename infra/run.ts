import { spawn } from 'node:child_process';
import { CodedError } from '@compasso/kernel';
import type { SystemUser } from './directories.ts';

export type RunOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly user?: SystemUser | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  readonly workingDirectory?: string;
};

export type Ran = { readonly code: number | null; readonly output: string };

/** Runs a command to its end. Aborted, it is stopped, and has ended when this rejects. */
export async function run(
  command: string,
  given: readonly string[],
  { signal, user, environment, workingDirectory }: RunOptions = {},
): Promise<Ran> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(command, given, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(environment === undefined ? {} : { env: environment }),
      ...(workingDirectory === undefined ? {} : { cwd: workingDirectory }),
      ...user,
    });
    const stop = () => void child.kill('SIGTERM');
    signal?.addEventListener('abort', stop);
    let output = '';
    const collect = (chunk: unknown) => void (output += String(chunk));
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (cause) => {
      const sentence = `cannot start ${command}: ${cause.message}`;
      reject(new CodedError('command_not_started', sentence, { command }, { cause }));
    });
    child.once('close', (code) => {
      signal?.removeEventListener('abort', stop);
      if (signal?.aborted === true) reject(signal.reason as Error);
      else resolve({ code, output });
    });
  });
}
