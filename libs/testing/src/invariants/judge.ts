// The nine invariants of the design, each with its one judge: used by verify, demo, tests, bench, simulation and chaos alike.
import { judgeBooks } from './books.ts';
import { judgeDeadLetters } from './dead-letters.ts';
import { judgeEndings } from './endings.ts';
import { judgeEvents } from './events.ts';
import type { Facts } from './facts.ts';
import type { Judgement } from './judgement.ts';
import { judgeHolds, judgeOrders, judgeProof } from './payouts.ts';
import { judgeTraces } from './traces.ts';
import { judgeViews } from './views.ts';

export const judges: readonly ((facts: Facts) => Judgement)[] = [
  judgeBooks,
  judgeOrders,
  judgeHolds,
  judgeProof,
  judgeEndings,
  judgeEvents,
  judgeViews,
  judgeTraces,
  judgeDeadLetters,
];

export const judgeAll = (facts: Facts): readonly Judgement[] => judges.map((judge) => judge(facts));
