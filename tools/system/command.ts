// What the small commands have in common: flags, JSON on standard output, words on standard error,
// one line per failure.
import { parseArgs } from 'node:util';
import { CodedError } from '@compasso/kernel';
import type { Log } from '../../infra/log.ts';

export type CommandFlags = { readonly json: boolean; readonly directory?: string };

export const say: Log = (sentence) => void process.stderr.write(`${sentence}\n`);

export function commandFlags(): CommandFlags {
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, directory: { type: 'string' } },
  });
  return {
    json: values.json ?? false,
    ...(values.directory === undefined ? {} : { directory: values.directory }),
  };
}

export function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}

/**
 * Runs a command. A failure that has a code is one line for a person; anything else is our bug and
 * keeps its trace.
 */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    const isExpected =
      error instanceof CodedError || (error instanceof TypeError && 'code' in error);
    say(
      isExpected
        ? error.message
        : `unexpected: ${error instanceof Error ? error.stack : String(error)}`,
    );
    process.exitCode = 1;
  }
}
