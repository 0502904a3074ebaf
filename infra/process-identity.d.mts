export type ProcessIdentity = { readonly pid: number; readonly startedAt: string };

export function identityOf(pid: number): ProcessIdentity | undefined;
export function isRunning(identity: ProcessIdentity): boolean;
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean;
export function endProcess(
  identity: ProcessIdentity,
  options?: { signal?: NodeJS.Signals; graceMs?: number },
): Promise<void>;
export function hasEnded(identity: ProcessIdentity, withinMs: number): Promise<boolean>;
