// What a supervisor tells others about its system, in a file that is always whole. It holds
// database passwords: only its owner may read it.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { ProcessIdentity } from '../../infra/process-identity.mjs';
import type { Addresses, DatabaseUrls, ProcessName } from './names.ts';

export type ProcessReport = {
  readonly name: ProcessName;
  readonly replica: number;
  /** Null while it is being started again. */
  readonly pid: number | null;
  readonly ready: boolean;
  readonly address?: string;
  readonly managementAddress?: string;
};

/** A process that ended although nobody had told it to. */
export type Death = {
  readonly name: ProcessName;
  readonly replica: number;
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

export type RunState = {
  readonly supervisor: ProcessIdentity;
  readonly phase: 'starting' | 'ready' | 'stopping' | 'failed';
  readonly failure?: { readonly code: string; readonly message: string };
  readonly processes: readonly ProcessReport[];
  /** The latest of this run: what they had not told anybody yet is missing from traces. */
  readonly deaths: readonly Death[];
  readonly addresses: Addresses;
  readonly managementAddresses: Addresses;
  readonly databaseUrls: Partial<DatabaseUrls>;
  readonly brokers: string;
  readonly topicPrefix: string;
  /** As the services were told: whoever reads their topics or judges their deadlines needs the same. */
  readonly requestTeams: readonly string[];
  readonly timeScale: string;
  readonly directory: string;
  readonly keysDirectory: string;
  readonly otlp?: string;
};

export function writeState(file: string, state: RunState): void {
  writeFileSync(`${file}.new`, JSON.stringify(state, undefined, 2), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function readState(file: string): RunState | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunState;
  } catch {
    return undefined;
  }
}
