// Every contract of this release, found by CloudEvents type.
import type { Contract } from './contract.ts';
import { deadLetterClosedV1 } from './events/dead-letter-closed.v1.ts';
import { deadLetterOpenedV1 } from './events/dead-letter-opened.v1.ts';
import { ledgerAccountBlockedV1 } from './events/ledger-account-blocked.v1.ts';
import { ledgerAccountOpenedV1 } from './events/ledger-account-opened.v1.ts';
import { ledgerAccountUnblockedV1 } from './events/ledger-account-unblocked.v1.ts';
import { ledgerCommandRefusedV1 } from './events/ledger-command-refused.v1.ts';
import { ledgerFundsDepositedV1 } from './events/ledger-funds-deposited.v1.ts';
import { ledgerFundsReleasedV1 } from './events/ledger-funds-released.v1.ts';
import { ledgerFundsReservedV1 } from './events/ledger-funds-reserved.v1.ts';
import { ledgerLimitsChangedV1 } from './events/ledger-limits-changed.v1.ts';
import { ledgerPayoutAuthorizedV1 } from './events/ledger-payout-authorized.v1.ts';
import { ledgerPayoutCancelRequestedV1 } from './events/ledger-payout-cancel-requested.v1.ts';
import { ledgerTransferRefusedV1 } from './events/ledger-transfer-refused.v1.ts';
import { ledgerTransferSettledV1 } from './events/ledger-transfer-settled.v1.ts';
import { payoutCancelRefusedV1 } from './events/payout-cancel-refused.v1.ts';
import { payoutCheckedV1 } from './events/payout-checked.v1.ts';
import { payoutConfirmedV1 } from './events/payout-confirmed.v1.ts';
import { payoutOutcomeUnknownV1 } from './events/payout-outcome-unknown.v1.ts';
import { payoutRejectedV1 } from './events/payout-rejected.v1.ts';
import { payoutReviewClosedV1 } from './events/payout-review-closed.v1.ts';
import { payoutReviewRequiredV1 } from './events/payout-review-required.v1.ts';
import { payoutSubmittedV1 } from './events/payout-submitted.v1.ts';
import { transferCancelRequestedV1 } from './events/transfer-cancel-requested.v1.ts';
import { transferRequestedV1 } from './events/transfer-requested.v1.ts';
import { transferStatusChangedV1 } from './events/transfer-status-changed.v1.ts';

export const contracts: readonly Contract[] = [
  transferRequestedV1,
  transferCancelRequestedV1,
  ledgerAccountOpenedV1,
  ledgerFundsDepositedV1,
  ledgerLimitsChangedV1,
  ledgerAccountBlockedV1,
  ledgerAccountUnblockedV1,
  ledgerFundsReservedV1,
  ledgerTransferRefusedV1,
  ledgerCommandRefusedV1,
  ledgerPayoutAuthorizedV1,
  ledgerPayoutCancelRequestedV1,
  ledgerTransferSettledV1,
  ledgerFundsReleasedV1,
  payoutSubmittedV1,
  payoutOutcomeUnknownV1,
  payoutCheckedV1,
  payoutConfirmedV1,
  payoutRejectedV1,
  payoutReviewRequiredV1,
  payoutReviewClosedV1,
  payoutCancelRefusedV1,
  transferStatusChangedV1,
  deadLetterOpenedV1,
  deadLetterClosedV1,
];

const byType = new Map(contracts.map((contract) => [contract.type, contract]));
const names = new Set(contracts.map((contract) => contract.name));

export const contractOfType = (type: string): Contract | undefined => byType.get(type);

/** True for `compasso.<known name>.v<any>`: a version of a known event that this build cannot read. */
export const isOtherVersionOfKnown = (type: string): boolean => {
  const match = /^compasso\.(.+)\.v\d+$/.exec(type);
  return match !== null && names.has(match[1]!) && !byType.has(type);
};
