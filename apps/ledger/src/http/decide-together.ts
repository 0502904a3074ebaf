// Requests that arrive while a transaction is under way are decided together in the next one, as
// messages of a batch are: a rush on one account costs a few commits instead of one each, and leaves
// the consumers and the relay their connections.
import { CodedError } from '@compasso/kernel';
import type { Executor, WorkingSet } from '@compasso/messaging';
import { currentTraceparent } from '@compasso/observability';
import { temporarilyUnavailable } from '@compasso/runtime';
import type { DeskParts, LedgerDesk } from '../postgres/ledger-desk.ts';
import { type DeskNeed, openLedgerDesk } from '../postgres/open-ledger-desk.ts';

/**
 * `decide` only reads and writes the desk, and answers a refusal as a value: what it throws is a bug
 * of its own, and a transaction that has to be tried again calls it again.
 */
export type Decide = <Answer>(
  need: DeskNeed,
  decide: (desk: LedgerDesk) => Answer,
) => Promise<Answer>;

export interface TogetherPolicy {
  /** Transactions at a time. More would only wait for each other's rows. */
  readonly lanes: number;
  readonly requestsMax: number;
  readonly waitingMax: number;
  readonly waitMsMax: number;
}

export const togetherPolicy: TogetherPolicy = {
  lanes: 2,
  requestsMax: 100,
  waitingMax: 2_000,
  waitMsMax: 8_000,
};

interface Waiting {
  readonly need: DeskNeed;
  readonly decide: (desk: LedgerDesk) => unknown;
  /** Each request keeps its own trace, whoever it is decided with. */
  readonly traceparent: string | undefined;
  readonly since: number;
  readonly resolve: (answer: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** @throws Problem 503 when too many wait, or have waited too long */
export function decideTogether(
  executor: Executor,
  parts: DeskParts,
  policy = togetherPolicy,
): Decide {
  const waiting: Waiting[] = [];
  let lanes = 0;

  const fillLanes = (): void => {
    while (lanes < policy.lanes && waiting.length > 0) {
      lanes += 1;
      void decideAll(executor, parts, nextOf(waiting, policy)).finally(() => {
        lanes -= 1;
        fillLanes();
      });
    }
  };
  return (need, decide) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= policy.waitingMax) {
        reject(temporarilyUnavailable());
        return;
      }
      const traceparent = currentTraceparent();
      waiting.push({ need, decide, traceparent, since: performance.now(), resolve, reject });
      fillLanes();
    });
}

function nextOf(
  waiting: Waiting[],
  { requestsMax, waitMsMax }: TogetherPolicy,
): readonly Waiting[] {
  const next = waiting.splice(0, requestsMax);
  const tooOld = performance.now() - waitMsMax;
  for (const one of next) if (one.since < tooOld) one.reject(temporarilyUnavailable());
  return next.filter(({ since }) => since >= tooOld);
}

/** Never rejects: every request hears of its own end. */
async function decideAll(
  executor: Executor,
  parts: DeskParts,
  requests: readonly Waiting[],
): Promise<void> {
  if (requests.length === 0) return;
  try {
    const answers = await executor.execute(async (set) => {
      const desk = await openLedgerDesk(
        set,
        requests.map(({ need }) => need),
        parts,
      );
      return requests.map((request) => decideOne(set, desk, request));
    });
    requests.forEach(({ resolve }, at) => resolve(answers[at] as never));
  } catch (error) {
    if (requests.length === 1 || isUnavailable(error)) {
      for (const { reject } of requests) reject(error);
      return;
    }
    // Nothing was committed. Alone, only the one that is to blame fails.
    for (const one of requests) await decideAll(executor, parts, [one]);
  }
}

/** The executor has tried long enough: one by one would only take longer to fail. */
const isUnavailable = (error: unknown): boolean =>
  error instanceof CodedError && error.code === 'temporarily_unavailable';

function decideOne(set: WorkingSet, desk: LedgerDesk, { decide, traceparent }: Waiting): unknown {
  const before = set.emissions.length;
  const answer = decide(desk);
  for (let at = before; at < set.emissions.length; at += 1) {
    const emitted = set.emissions[at]!;
    set.emissions[at] = { ...emitted, traceparent: emitted.traceparent ?? traceparent };
  }
  return answer;
}
