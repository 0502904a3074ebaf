export { contractOfType, contracts, isOtherVersionOfKnown } from './catalog.ts';
export { type Contract, type DataOf, type Publisher, typeOf } from './contract.ts';
export {
  type DeadReason,
  type Decoded,
  decodeMessage,
  nestingMax,
  type RawMessage,
  valueBytesMax,
} from './decode.ts';
export {
  decodeHeaders,
  encodeHeaders,
  type Envelope,
  headerText,
  type Headers,
  type HeaderValue,
  isTraceparent,
  isUnreadable,
  type UnreadableEnvelope,
} from './envelope.ts';
export { deadLetterClosedV1 } from './events/dead-letter-closed.v1.ts';
export { deadLetterOpenedV1 } from './events/dead-letter-opened.v1.ts';
export { ledgerAccountBlockedV1 } from './events/ledger-account-blocked.v1.ts';
export { ledgerAccountOpenedV1 } from './events/ledger-account-opened.v1.ts';
export { ledgerAccountUnblockedV1 } from './events/ledger-account-unblocked.v1.ts';
export { ledgerCommandRefusedV1 } from './events/ledger-command-refused.v1.ts';
export { ledgerFundsDepositedV1 } from './events/ledger-funds-deposited.v1.ts';
export { ledgerFundsReleasedV1 } from './events/ledger-funds-released.v1.ts';
export { ledgerFundsReservedV1 } from './events/ledger-funds-reserved.v1.ts';
export { ledgerLimitsChangedV1 } from './events/ledger-limits-changed.v1.ts';
export { ledgerPayoutAuthorizedV1 } from './events/ledger-payout-authorized.v1.ts';
export { ledgerPayoutCancelRequestedV1 } from './events/ledger-payout-cancel-requested.v1.ts';
export { ledgerTransferRefusedV1 } from './events/ledger-transfer-refused.v1.ts';
export { ledgerTransferSettledV1 } from './events/ledger-transfer-settled.v1.ts';
export { payoutCancelRefusedV1 } from './events/payout-cancel-refused.v1.ts';
export { payoutCheckedV1 } from './events/payout-checked.v1.ts';
export { payoutConfirmedV1 } from './events/payout-confirmed.v1.ts';
export { payoutOutcomeUnknownV1 } from './events/payout-outcome-unknown.v1.ts';
export { payoutRejectedV1 } from './events/payout-rejected.v1.ts';
export { payoutReviewClosedV1 } from './events/payout-review-closed.v1.ts';
export { payoutReviewRequiredV1 } from './events/payout-review-required.v1.ts';
export { payoutSubmittedV1 } from './events/payout-submitted.v1.ts';
export { transferCancelRequestedV1 } from './events/transfer-cancel-requested.v1.ts';
export { transferRequestedV1 } from './events/transfer-requested.v1.ts';
export { transferStatusChangedV1 } from './events/transfer-status-changed.v1.ts';
export { clientReferenceField, codeField, metadataField } from './fields.ts';
export { partitionOf } from './partition.ts';
export { keyTypes, type KeyType, maskPixKey, type PixKey, type PixKeyRefusal, readPixKey } from './pix-key.ts';
export { attentionWords, certaintyWords, moneyWords, states } from './public-words.ts';
export { causedByTime, type Reaction, reactionsOf, score, type Step } from './score.ts';
export {
  type MaskedPayee,
  maskPayee,
  type OpenedPayee,
  type OpenPayee,
  payeeOpener,
  type PublicKeys,
  type SealedPayee,
  sealerTo,
  type SealPayee,
  sealPayee,
} from './sealed-payee.ts';
export {
  allTopics,
  deadLettersOf,
  type Deployment,
  ledgerEvents,
  partitionCount,
  payoutEvents,
  type ServiceName,
  serviceNames,
  sourceOfService,
  sourceOfTeam,
  type TopicDefinition,
  type TopicFamily,
  transferRequestsOf,
  transferStatus,
} from './topics.ts';
