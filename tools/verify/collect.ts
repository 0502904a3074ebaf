import type { Facts, SpanFact } from '@compasso/testing';
import { readReceivedSpans } from '../otlp-receiver.ts';
import { databaseFacts } from './database-facts.ts';
import { disturbedBy } from './disturbed.ts';
import { providerOrders } from './provider-facts.ts';
import { refold } from './refold.ts';
import type { Sources } from './sources.ts';
import { consumerGroups, topicRecords } from './topic-facts.ts';

/** Everything the judges need, from databases, provider, topics from offset 0, and received spans. */
export async function collectFacts(sources: Sources): Promise<Facts> {
  const [{ lifetimes, ...databases }, orders, records, spans] = await Promise.all([
    databaseFacts(sources),
    providerOrders(sources),
    topicRecords(sources),
    receivedSpans(sources),
  ]);
  return {
    ...databases,
    orders,
    records: records.map(({ fact }) => fact),
    groups: consumerGroups(sources),
    refolded: refold(records),
    spans,
    disturbed: disturbedBy(sources.deaths, lifetimes),
  };
}

const receivedSpans = async ({ spans }: Sources): Promise<readonly SpanFact[]> =>
  spans === undefined ? [] : readReceivedSpans(spans);
