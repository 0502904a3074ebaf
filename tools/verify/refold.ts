// The tracker's fold over all records from offset 0, interleaved otherwise than they came: the view may not depend on it.
import { decodeMessage } from '@compasso/contracts';
import type { ReceivedEvent } from '@compasso/messaging';
import type { Facts } from '@compasso/testing';
import { emptySaga, fold, type Saga } from '../../apps/transfer-tracker/src/domain/saga.ts';
import { patience } from '../../apps/transfer-tracker/src/domain/next-step.ts';
import { viewOf } from '../../apps/transfer-tracker/src/domain/transfer-view.ts';
import { factOf } from '../../apps/transfer-tracker/src/kafka/fact.ts';
import { sagaEventOf, transferOf } from '../../apps/transfer-tracker/src/kafka/saga-event-of.ts';
import { scoreView } from '../../apps/transfer-tracker/src/kafka/score-view.ts';
import type { TopicRecord } from './topic-facts.ts';

const followed = new Set(['transfer-requests', 'ledger-events', 'payout-events']);

/** Last topic first, and every other record from the end: an order that no consumer has ever seen. */
const interleaved = (records: readonly TopicRecord[]): readonly TopicRecord[] => {
  const backwards = [...records].reverse();
  return [...backwards.filter((_, at) => at % 2 === 0), ...backwards.filter((_, at) => at % 2 === 1)];
};

export function refold(records: readonly TopicRecord[]): Facts['refolded'] {
  const sagas = new Map<string, Saga>();
  const seen = new Set<string>();
  for (const { raw, topic, fact: place } of interleaved(records.filter((one) => followed.has(one.topic.family)))) {
    const decoded = decodeMessage(raw, topic);
    if (decoded.kind !== 'event') continue;
    const name = `${decoded.envelope.source} ${decoded.envelope.id}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const event: ReceivedEvent = {
      ...decoded,
      topic: topic.name,
      partition: place.partition,
      offset: raw.offset,
      brokerInstant: raw.timestamp,
    };
    const fact = factOf(event);
    const transferId = transferOf(fact);
    if (transferId === undefined) continue;
    sagas.set(transferId, fold(sagas.get(transferId) ?? emptySaga, sagaEventOf(fact)));
  }
  const rules = { patience: patience(1), score: scoreView };
  return [...sagas].map(([transferId, saga]) => {
    const view = viewOf(saga, null, rules);
    return {
      transferId,
      ledgerWord: view.ledger?.word ?? null,
      gatewayWord: view.gateway?.word ?? null,
      state: view.state,
      money: view.money,
      certainty: view.certainty,
    };
  });
}
