import type { ProcessIdentity } from './process-identity.d.mts';

export type Lock = { readonly release: () => void; readonly owner?: never };
export type HeldByOther = { readonly owner: ProcessIdentity; readonly release?: never };

export function acquireLock(path: string): Lock | HeldByOther;
export function ownerOf(path: string): ProcessIdentity | undefined;
