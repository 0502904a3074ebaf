// One wrong row, message or span for each invariant, in facts that were right.
import type { Facts, SpanFact } from '@compasso/testing';
import { type Cents, CodedError } from '@compasso/kernel';

export interface Corruption {
  readonly invariant: number;
  readonly what: string;
  corrupt(facts: Facts): Facts;
}

export const corruptions: readonly Corruption[] = [
  {
    invariant: 1,
    what: 'a posting of one centavo more',
    corrupt: (facts) => ({
      ...facts,
      postings: withOne(facts.postings, () => true, (posting) => ({ ...posting, amountCents: oneMore(posting.amountCents) })),
    }),
  },
  {
    invariant: 2,
    what: 'a second order that can still pay',
    corrupt: (facts) => {
      const paid = first(facts.orders, ({ status }) => status === 'paid');
      return { ...facts, orders: [...facts.orders, { ...paid, orderId: `${paid.orderId}-again` }] };
    },
  },
  {
    invariant: 3,
    what: 'a settlement that is written down as another hold',
    corrupt: (facts) => ({
      ...facts,
      entries: withOne(facts.entries, ({ kind }) => kind === 'settle', (entry) => ({ ...entry, kind: 'hold' })),
    }),
  },
  {
    invariant: 4,
    what: 'a confirmed payout without its proof',
    corrupt: (facts) => ({
      ...facts,
      payouts: withOne(facts.payouts, ({ state }) => state === 'confirmed', (payout) => ({ ...payout, evidence: null })),
    }),
  },
  {
    invariant: 5,
    what: 'an ended transfer that goes on',
    corrupt: (facts) => ({
      ...facts,
      records: withOne(
        facts.records,
        ({ topic, data }) => topic === 'pix.ledger-events.v1' && data?.['after'] === 'reserved',
        (record) => ({ ...record, data: { ...record.data, after: 'settled' } }),
      ),
    }),
  },
  {
    invariant: 6,
    what: 'a committed event that is on no topic',
    corrupt: (facts) => {
      const lost = first(facts.records, ({ topic }) => topic === 'pix.payout-events.v1');
      return { ...facts, records: facts.records.filter(({ id, topic }) => id !== lost.id || topic !== lost.topic) };
    },
  },
  {
    invariant: 7,
    what: 'a view that tells another state',
    corrupt: (facts) => ({
      ...facts,
      views: withOne(facts.views, ({ state }) => state === 'completed', (view) => ({ ...view, state: 'submitted' })),
    }),
  },
  {
    invariant: 8,
    what: 'a span that never arrived, in the middle of a trace',
    corrupt: (facts) => {
      const missing = parentInAWholeTrace(facts);
      return { ...facts, spans: facts.spans.filter((span) => span !== missing) };
    },
  },
  {
    invariant: 9,
    what: 'a message without a verdict',
    corrupt: (facts) => {
      const { ledger } = facts.messaging;
      const dropped = first(ledger.inbox, ({ verdict }) => verdict === 'applied');
      const inbox = ledger.inbox.filter((row) => row !== dropped);
      return { ...facts, messaging: { ...facts.messaging, ledger: { ...ledger, inbox } } };
    },
  },
];

const oneMore = (cents: Cents): Cents => (cents + 1n) as Cents;

/** A span with a parent and a child, in the trace of a transfer that no kill has torn. */
function parentInAWholeTrace({ spans, transfers, disturbed, messaging }: Facts): SpanFact {
  const parents = new Set(spans.map(({ parentSpanId }) => parentSpanId));
  const calm = new Set(transfers.filter(({ transferId }) => !disturbed.has(transferId)).map(({ transferId }) => transferId));
  const traces = new Set(
    messaging.ledger.eventLog.filter(({ subject }) => calm.has(subject)).map(({ traceparent }) => traceparent?.slice(3, 35)),
  );
  return first(spans, ({ traceId, spanId, parentSpanId }) => traces.has(traceId) && parentSpanId !== undefined && parents.has(spanId));
}

function first<Item>(items: readonly Item[], isIt: (item: Item) => boolean): Item {
  const found = items.find(isIt);
  if (found === undefined) throw new CodedError('nothing_to_corrupt', 'the facts hold nothing that could be corrupted like this');
  return found;
}

function withOne<Item>(items: readonly Item[], isIt: (item: Item) => boolean, change: (item: Item) => Item): readonly Item[] {
  const found = first(items, isIt);
  return items.map((item) => (item === found ? change(item) : item));
}
