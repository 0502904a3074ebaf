// Which facts open or close a case. The case's id is the id of the fact that opened it: derived, never drawn.
import type {
  DataOf,
  deadLetterClosedV1,
  deadLetterOpenedV1,
  payoutReviewClosedV1,
  payoutReviewRequiredV1,
} from '@compasso/contracts';
import type { Instant } from '@compasso/kernel';
import type { Fact } from './fact.ts';

interface CaseNames {
  readonly caseId: string;
  readonly kind: 'payout_review' | 'dead_letter';
  readonly source: string;
  readonly transferId: string | null;
  readonly accountId: string | null;
  readonly at: Instant;
}

export type CaseStep =
  | (CaseNames & { readonly step: 'open'; readonly reason: string })
  | (CaseNames & { readonly step: 'close'; readonly by: string });

export function caseStepOf(fact: Fact): CaseStep | undefined {
  switch (fact.name) {
    case 'payout.review-required': {
      const { kind, accountId } = fact.data as DataOf<typeof payoutReviewRequiredV1>;
      return { ...review(fact, fact.id, accountId), step: 'open', reason: kind };
    }
    case 'payout.review-closed': {
      const { caseId, by, accountId } = fact.data as DataOf<typeof payoutReviewClosedV1>;
      return { ...review(fact, caseId, accountId), step: 'close', by };
    }
    case 'dead-letter.opened': {
      const { reason, ...about } = fact.data as DataOf<typeof deadLetterOpenedV1>;
      return { ...deadLetter(fact, fact.id, about), step: 'open', reason };
    }
    case 'dead-letter.closed': {
      const { caseId, by } = fact.data as DataOf<typeof deadLetterClosedV1>;
      return { ...deadLetter(fact, caseId, {}), step: 'close', by };
    }
    default:
      return undefined;
  }
}

const review = (fact: Fact, caseId: string, accountId: string): CaseNames => ({
  caseId,
  kind: 'payout_review',
  source: fact.source,
  transferId: fact.subject,
  accountId,
  at: fact.brokerAt,
});

interface About {
  readonly transferId?: string | undefined | null;
  readonly accountId?: string | undefined | null;
}

const deadLetter = (
  fact: Fact,
  caseId: string,
  { transferId = null, accountId = null }: About,
): CaseNames => ({
  caseId,
  kind: 'dead_letter',
  source: fact.source,
  transferId,
  accountId,
  at: fact.brokerAt,
});
