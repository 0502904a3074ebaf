// Folds facts into the projection that is being built, some hundred per transaction, and puts back what the store and the
// list of cases have lost. Nothing is emitted, and nothing that is there is made anew: events and cases are owned data.
import { partitionOf } from '@compasso/contracts';
import { isUuid } from '@compasso/kernel';
import type { Executor, WorkingSet } from '@compasso/messaging';
import type { Rules } from '../domain/transfer-view.ts';
import { caseStepOf } from '../kafka/case-of.ts';
import type { Fact } from '../kafka/fact.ts';
import { sagaEventOf, transferOf } from '../kafka/saga-event-of.ts';
import { nothingWaits } from '../kafka/turns.ts';
import { reviewCaseTable } from '../postgres/tables.ts';
import { lockViews, TrackerDesk } from '../postgres/tracker-desk.ts';
import { refuseSuperseded } from './projections.ts';

export interface FoldingAgain {
  readonly executor: Executor;
  readonly rules: Rules;
  /** The number that is being built. */
  readonly building: number;
}

const limits = { factsMax: 200 } as const;

export async function foldAgain(facts: readonly Fact[], folding: FoldingAgain): Promise<void> {
  for (let from = 0; from < facts.length; from += limits.factsMax) {
    const some = facts.slice(from, from + limits.factsMax);
    await folding.executor.execute((set) => foldSome(set, some, folding));
  }
}

async function foldSome(
  set: WorkingSet,
  facts: readonly Fact[],
  { rules, building }: FoldingAgain,
): Promise<void> {
  const transferIds = facts.map(transferOf).filter((id) => id !== undefined);
  const lanes = new Set(facts.filter((fact) => transferOf(fact) !== undefined).map(laneOfFact));
  const projections = await lockViews(set, { lanes, transferIds });
  const caseSteps = facts.map(caseStepOf).filter((step) => step !== undefined);
  await set.lock(reviewCaseTable, caseSteps.map(({ caseId }) => [caseId]));
  if (projections !== undefined) refuseSuperseded(projections.building, building);
  const desk = new TrackerDesk(set, { projections, rules, waiting: nothingWaits });
  for (const fact of facts) {
    desk.record(fact);
    desk.keepCase(caseStepOf(fact));
    const transferId = transferOf(fact);
    if (transferId !== undefined) desk.foldBeside(transferId, sagaEventOf(fact));
  }
}

/** The same lane as its live batches: every event of a transfer has its payer's account, at least as its key. */
function laneOfFact({ data, partition }: Fact): number {
  const { accountId } = data;
  return typeof accountId === 'string' && isUuid(accountId) ? partitionOf(accountId) : partition;
}
