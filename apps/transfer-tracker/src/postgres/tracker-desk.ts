// All rows that a batch can touch, locked in the global order (lanes, transfers, cases), and the three things that handlers
// do with them: record a fact, fold it, open or close a case.
import { contractOfType, partitionOf } from '@compasso/contracts';
import type { Instant } from '@compasso/kernel';
import type { DeskReference, HandlerVerdict, Key, WorkingSet } from '@compasso/messaging';
import { counter, currentTraceparent } from '@compasso/observability';
import type { Flags } from '../domain/flags.ts';
import type { SagaEvent } from '../domain/saga-event.ts';
import { emptySaga, fold, type Saga } from '../domain/saga.ts';
import { type Rules, viewOf } from '../domain/transfer-view.ts';
import type { CaseStep } from '../kafka/case-of.ts';
import { type Fact, nameOfType } from '../kafka/fact.ts';
import { transferOf } from '../kafka/saga-event-of.ts';
import type { Waiting } from '../kafka/turns.ts';
import { eventRowOf } from './event-row.ts';
import { type Cause, StatusFeed } from './status-feed.ts';
import {
  eventTable,
  laneTable,
  reviewCaseTable,
  type TransferViewRow,
  transferViewTable,
} from './tables.ts';
import { sagaOf, toRow } from './transfer-view-row.ts';

// Counted when decided: a transaction that has to be run again counts twice.
const recorded = counter('compasso_events_recorded_total');
const offScore = counter('compasso_events_off_score_total');

export interface ShownProjections {
  /** The one that is shown, and whose changes are published. */
  readonly current: number;
  /** The one that a rebuild makes beside it: live events go into both, so that nothing is missing when it is shown. */
  readonly building: number | null;
}

export interface DeskParts {
  /** Undefined = no event is about a transfer. */
  readonly projections: ShownProjections | undefined;
  readonly rules: Rules;
  readonly waiting: Waiting;
}

export class TrackerDesk {
  private readonly set: WorkingSet;
  private readonly projections: ShownProjections | undefined;
  private readonly rules: Rules;
  private readonly feed: StatusFeed;
  private readonly shown = new Map<string, Folding>();
  private readonly built = new Map<string, Folding>();

  constructor(set: WorkingSet, { projections, rules, waiting }: DeskParts) {
    this.set = set;
    this.projections = projections;
    this.rules = rules;
    this.feed = new StatusFeed(set, waiting);
    set.atEnd(() => this.decide());
  }

  record(fact: Fact): void {
    const type = contractOfType(fact.type) === undefined ? 'unknown' : fact.name;
    recorded.add(1, { source: fact.source, type });
    this.set.addMissing(eventTable, eventRowOf(fact));
  }

  /** Folds into what is shown and into what is being built. What it means is decided once, when all events are folded. */
  fold(transferId: string, event: SagaEvent, fact: Fact): HandlerVerdict {
    if (this.projections === undefined) return 'ignored';
    const { current } = this.projections;
    const isNew = this.foldInto(this.shown, { projection: current, transferId, event, fact });
    const isNewBeside = this.foldBeside(transferId, event);
    return isNew || isNewBeside ? 'applied' : 'ignored';
  }

  /** Folds only into what is being built; nobody is told. */
  foldBeside(transferId: string, event: SagaEvent): boolean {
    const building = this.projections?.building ?? null;
    return building !== null && this.foldInto(this.built, { projection: building, transferId, event });
  }

  /** Harmless to say again, and in any order: the end may be read before the beginning. */
  keepCase(said: CaseStep | undefined): void {
    if (said === undefined) return;
    const { caseId, kind, source, transferId, accountId, at } = said;
    const known = this.set.get(reviewCaseTable, caseId);
    const names = { caseId, kind, source, transferId, accountId };
    if (said.step === 'open') {
      if (known !== undefined && known.openedAt !== null) return;
      const unclosed = { state: 'open', closedAt: null, closedBy: null };
      const { reason } = said;
      this.set.put(reviewCaseTable, { ...unclosed, ...known, ...names, reason, openedAt: at });
    } else {
      if (known?.state === 'closed') return;
      const unopened = { ...names, reason: null, openedAt: null };
      const closed = { state: 'closed', closedAt: at, closedBy: said.by };
      this.set.put(reviewCaseTable, { ...unopened, ...known, ...closed });
    }
  }

  private foldInto(folds: Map<string, Folding>, { projection, transferId, event, fact }: Addition): boolean {
    const folded = folds.get(transferId) ?? folding(this.set.get(transferViewTable, projection, transferId));
    const saga = fold(folded.saga, event);
    if (saga === folded.saga) return false;
    // The score knows no status change that a refused command causes: the ledger's own event has told it.
    const cause = fact === undefined || event.origin === 'command' ? folded.cause : causeOf(fact);
    folds.set(transferId, { before: folded.before, saga, events: [...folded.events, event], cause });
    return true;
  }

  private decide(): void {
    for (const [transferId, folded] of this.shown) this.show(transferId, folded);
    for (const [transferId, folded] of this.built) this.showBeside(transferId, folded);
  }

  private show(transferId: string, folded: Folding): void {
    const { before, saga, events, cause } = folded;
    const { row, flags } = this.rowOf(this.projections!.current, transferId, folded);
    for (const { id, name } of events) {
      // Names of unknown events are made by others and have no bound: metrics do not repeat them.
      if (flags.offScore.includes(id)) offScore.add(1, { type: this.rules.score.knows(name) ? name : 'unknown' });
    }
    const after = cause === undefined ? row : this.feed.publishChange({ before, after: row, trail: saga.trail, cause });
    this.set.put(transferViewTable, after);
  }

  /** The row takes over what the shown one has judged and published, so that showing it instead changes neither. */
  private showBeside(transferId: string, folded: Folding): void {
    const { current, building } = this.projections!;
    const shown = this.set.get(transferViewTable, current, transferId);
    const { row } = this.rowOf(building!, transferId, folded, shown?.judgedAsOf);
    const { statusSequence, untold } = shown ?? row;
    this.set.put(transferViewTable, { ...row, statusSequence, untold });
  }

  private rowOf(
    projection: number,
    transferId: string,
    { before, saga }: Folding,
    judgedElsewhere: Instant | null = null,
  ): { readonly row: TransferViewRow; readonly flags: Flags } {
    const judgedAsOf = before?.judgedAsOf ?? judgedElsewhere;
    const view = viewOf(saga, judgedAsOf, this.rules);
    const row = toRow({
      projection,
      transferId,
      saga,
      view,
      judgedAsOf,
      lookAt: earlierLook(before?.lookAt ?? null, view.lookAt),
      statusSequence: before?.statusSequence ?? 0,
      untold: before?.untold ?? false,
      updatedAt: this.set.instant,
    });
    return { row, flags: view.flags };
  }
}

interface Addition {
  readonly projection: number;
  readonly transferId: string;
  readonly event: SagaEvent;
  /** Undefined where nobody is told. */
  readonly fact?: Fact;
}

/** A transfer's events of this transaction, folded into what was known of it. */
interface Folding {
  readonly before: TransferViewRow | undefined;
  readonly saga: Saga;
  readonly events: readonly SagaEvent[];
  /** The last one that the public may be told of; undefined = none. */
  readonly cause: Cause | undefined;
}

const folding = (before: TransferViewRow | undefined): Folding => ({
  before,
  saga: before === undefined ? emptySaga : sagaOf(before),
  events: [],
  cause: undefined,
});

const causeOf = ({ id, brokerAt, traceparent }: Fact): Cause => ({
  id,
  brokerAt,
  traceparent: currentTraceparent() ?? traceparent,
});

/** A look that comes too early only looks again; moving it at every event would cost an index entry each time. */
const earlierLook = (planned: Instant | null, needed: Instant | null): Instant | null =>
  planned !== null && needed !== null && planned < needed ? planned : needed;

/** Opens the desk for live batches. */
export const openTrackerDesk =
  (rules: Rules, waiting: Waiting) =>
  async (set: WorkingSet, references: readonly DeskReference[]): Promise<TrackerDesk> => {
    const named = references.map((reference) => ({ reference, transferId: transferIn(reference) }));
    const transfers = named.filter(({ transferId }) => transferId !== undefined);
    const projections = await lockViews(set, {
      lanes: new Set(transfers.map(({ reference }) => laneOf(reference))),
      transferIds: transfers.map(({ transferId }) => transferId!),
    });
    await set.lock(reviewCaseTable, references.flatMap(caseKeys));
    return new TrackerDesk(set, { projections, rules, waiting });
  };

/** The lane of an account's transfers: the partition of everything that is said about them. */
export const laneOf = ({
  accountId,
  subject,
}: Pick<DeskReference, 'accountId' | 'subject'>): number => partitionOf(accountId ?? subject);

export interface WantedViews {
  readonly lanes: ReadonlySet<number>;
  readonly transferIds: readonly string[];
}

/** Lanes first, then views. All lanes say the same: they change together, while nobody holds one. */
export async function lockViews(
  set: WorkingSet,
  { lanes, transferIds }: WantedViews,
): Promise<ShownProjections | undefined> {
  const [first] = lanes;
  if (first === undefined) return undefined;
  await set.lock(laneTable, [...lanes].map((lane) => [lane]));
  const projections = set.get(laneTable, first)!;
  const { current, building } = projections;
  const numbers = building === null ? [current] : [current, building];
  await set.lock(
    transferViewTable,
    numbers.flatMap((number) => transferIds.map((transferId): Key => [number, transferId])),
  );
  return projections;
}

const transferIn = ({ contract, subject, data }: DeskReference): string | undefined =>
  transferOf({
    name: contract === undefined ? '' : nameOfType(contract.type),
    subject,
    data: (data ?? {}) as Fact['data'],
  });

function caseKeys({ contract, eventId, data }: DeskReference): readonly Key[] {
  switch (contract?.name) {
    case 'payout.review-required':
    case 'dead-letter.opened':
      return [[eventId]];
    case 'payout.review-closed':
    case 'dead-letter.closed':
      return [[(data as { readonly caseId: string }).caseId]];
    default:
      return [];
  }
}
