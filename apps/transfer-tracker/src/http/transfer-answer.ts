// A transfer as callers see it.
import { centsToWire, type Instant, instantToWire } from '@compasso/kernel';
import { ownerOf, type StepName } from '../domain/next-step.ts';
import type { TransferViewRow } from '../postgres/tables.ts';
import type { StoredFlags } from '../postgres/transfer-view-row.ts';
import { type Label, labelsOf } from './labels.ts';

export interface TransferAnswer {
  readonly transferId: string;
  readonly accountId: string;
  readonly state: string;
  readonly money: string;
  readonly certainty: string;
  readonly attention: string;
  readonly reason?: string;
  readonly next?: { readonly step: string; readonly owner: string; readonly by?: string };
  readonly amountCents?: number;
  readonly payee?: { readonly kind: 'key'; readonly keyType: string; readonly keyMasked: string };
  readonly clientReference?: string;
  readonly requestedBy?: string;
  readonly metadata?: unknown;
  readonly startedAt: string;
  readonly endedAt?: string;
  /** Everything that was published before it is in this answer; null = not known yet. */
  readonly asOf: string | null;
  readonly projection: number;
  readonly version: number;
  readonly flags: FlagsAnswer;
  readonly traceId?: string;
  readonly labels: Label;
}

interface FlagsAnswer {
  readonly offScore: boolean;
  readonly sequenceConflict: boolean;
  readonly afterTheEnd: boolean;
  readonly gap: boolean;
}

export function transferAnswer(row: TransferViewRow, asOf: Instant | null): TransferAnswer {
  const { transferId, state, money, certainty, attention, projection, version } = row;
  return {
    transferId,
    accountId: row.accountId!,
    state,
    money,
    certainty,
    attention,
    ...(row.reason !== null && { reason: row.reason }),
    ...nextIn(row),
    ...(row.amountCents !== null && { amountCents: centsToWire(row.amountCents) }),
    ...payeeIn(row),
    ...(row.clientReference !== null && { clientReference: row.clientReference }),
    ...(row.requestedBy !== null && { requestedBy: row.requestedBy }),
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) as unknown }),
    startedAt: instantToWire(row.startedAt),
    ...(row.endedAt !== null && { endedAt: instantToWire(row.endedAt) }),
    asOf: asOf === null ? null : instantToWire(asOf),
    projection,
    version,
    flags: flagsIn(row),
    ...(row.traceparent !== null && { traceId: traceIdOf(row.traceparent) }),
    labels: labelsOf(row),
  };
}

export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);

function nextIn({ dueStep, dueAt }: TransferViewRow): Pick<TransferAnswer, 'next'> {
  if (dueStep === null) return {};
  const owner = ownerOf(dueStep as StepName);
  const by = dueAt === null ? {} : { by: instantToWire(dueAt) };
  return { next: { step: dueStep, owner, ...by } };
}

function payeeIn({ keyType, keyMasked }: TransferViewRow): Pick<TransferAnswer, 'payee'> {
  return keyType === null || keyMasked === null
    ? {}
    : { payee: { kind: 'key', keyType, keyMasked } };
}

function flagsIn(row: TransferViewRow): FlagsAnswer {
  const flags = JSON.parse(row.flags) as StoredFlags;
  return {
    offScore: flags.off_score.length > 0,
    sequenceConflict: flags.sequence_conflict,
    afterTheEnd: flags.after_the_end,
    gap: flags.gap,
  };
}
