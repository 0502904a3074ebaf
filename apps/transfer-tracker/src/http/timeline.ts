// The steps of a transfer in causal order: who said what, because of what, how long after it, and what it undoes.
import { score } from '@compasso/contracts';
import { type Instant, instantToWire } from '@compasso/kernel';
import { nameOfType } from '../kafka/fact.ts';
import type { EventRow, TransferViewRow } from '../postgres/tables.ts';
import type { StoredFlags } from '../postgres/transfer-view-row.ts';
import { traceIdOf } from './transfer-answer.ts';

export interface TimelineStep {
  readonly event: string;
  readonly eventId: string;
  /** `ledger`, `payout-gateway`, or `team:<name>` for a requester. */
  readonly service: string;
  readonly sequence?: number;
  /** The publisher's clock: when it was decided. */
  readonly at: string;
  /** The broker's clock: when everybody could know. Durations are taken from it. */
  readonly publishedAt: string;
  readonly cause?: { readonly eventId: string; readonly event?: string };
  readonly durationMs?: number;
  readonly attempt?: number;
  /** Codes and references that the event carries. */
  readonly answers: Readonly<Record<string, string | number>>;
  readonly undoes?: { readonly event: string; readonly eventId?: string };
  readonly offScore: boolean;
  readonly traceId?: string;
}

export function timelineOf(
  row: TransferViewRow,
  events: readonly EventRow[],
): readonly TimelineStep[] {
  const own = inCausalOrder(events.filter((event) => belongsTo(row, event)));
  const { off_score: offScore } = JSON.parse(row.flags) as StoredFlags;
  const byId = new Map(own.map((event) => [event.eventId, event]));
  return own.map((event) => stepOf(event, { byId, own, offScore }));
}

/** A request of somebody else that names this transfer is none of the payer's business. */
function belongsTo({ accountId }: TransferViewRow, { data }: EventRow): boolean {
  const account = (JSON.parse(data) as { readonly accountId?: unknown }).accountId;
  return account === undefined || account === accountId;
}

/** By the broker's time, but never before the cause: brokers have clocks of their own. */
function inCausalOrder(events: readonly EventRow[]): readonly EventRow[] {
  const byTime = [...events].sort(
    (a, b) => a.brokerAt - b.brokerAt || (a.sequence ?? 0) - (b.sequence ?? 0),
  );
  const byId = new Map(byTime.map((event) => [event.eventId, event]));
  const placed = new Set<EventRow>();
  const place = (event: EventRow, waiting: ReadonlySet<EventRow>): void => {
    if (placed.has(event) || waiting.has(event)) return;
    const cause = byId.get(event.causationId ?? '');
    if (cause !== undefined) place(cause, new Set([...waiting, event]));
    placed.add(event);
  };
  for (const event of byTime) place(event, new Set());
  return [...placed];
}

interface Surroundings {
  readonly byId: ReadonlyMap<string, EventRow>;
  readonly own: readonly EventRow[];
  readonly offScore: readonly string[];
}

function stepOf(event: EventRow, { byId, own, offScore }: Surroundings): TimelineStep {
  const cause = byId.get(event.causationId ?? '');
  const { attempt, ...answers } = answersIn(event);
  return {
    event: nameOfType(event.type),
    eventId: event.eventId,
    service: event.source.replace(/^urn:compasso:/, ''),
    ...(event.sequence !== null && { sequence: event.sequence }),
    at: instantToWire(event.occurredAt),
    publishedAt: instantToWire(event.brokerAt),
    ...causeIn(event, cause),
    ...(cause !== undefined && { durationMs: durationOf(cause.brokerAt, event.brokerAt) }),
    ...(typeof attempt === 'number' && { attempt }),
    answers,
    ...undoneBy(event, own),
    offScore: offScore.includes(event.eventId),
    ...(event.traceparent !== null && { traceId: traceIdOf(event.traceparent) }),
  };
}

const durationOf = (from: Instant, to: Instant): number => Math.max(0, to - from);

const causeIn = (
  { causationId }: EventRow,
  cause: EventRow | undefined,
): Pick<TimelineStep, 'cause'> =>
  causationId === null
    ? {}
    : { cause: { eventId: causationId, ...(cause !== undefined && { event: nameOfType(cause.type) }) } };

/** What operators ask for first. Everything else of an event is in the store, by its id. */
const answerFields = [
  'attempt',
  'reason',
  'provider',
  'providerOrderId',
  'cause',
  'check',
  'answer',
  'code',
  'kind',
  'evidence',
  'endToEndId',
  'by',
  'nextCheckAt',
  'reviewAt',
  'sendBefore',
] as const;

function answersIn({ data }: EventRow): Readonly<Record<string, string | number>> {
  const fields = JSON.parse(data) as Readonly<Record<string, unknown>>;
  const answers: Record<string, string | number> = {};
  for (const name of answerFields) {
    const value = fields[name];
    if (typeof value === 'string' || typeof value === 'number') answers[name] = value;
  }
  return answers;
}

function undoneBy(undoing: EventRow, own: readonly EventRow[]): Pick<TimelineStep, 'undoes'> {
  const name = nameOfType(undoing.type);
  const undoes = score.find(({ event }) => event === name)?.undoes;
  if (undoes === undefined) return {};
  const undone = own.find(({ type }) => nameOfType(type) === undoes);
  return { undoes: { event: undoes, ...(undone !== undefined && { eventId: undone.eventId }) } };
}
