// Invariant 6: every committed event reaches Kafka, and first appearances keep the order of each transfer.
import { serviceNames } from '@compasso/contracts';
import type { Facts } from './facts.ts';
import { groupBy, type Judgement, judgement } from './judgement.ts';

export function judgeEvents({ messaging, records }: Facts): Judgement {
  const violations: string[] = [];
  const onTopic = new Set(records.map(({ topic, id }) => `${topic} ${id}`));
  let checked = 0;
  for (const service of serviceNames) {
    const { eventLog, outbox } = messaging[service];
    const waiting = new Set(outbox.map(({ eventId }) => eventId));
    for (const { eventId, topic, subject } of eventLog) {
      checked += 1;
      if (!onTopic.has(`${topic} ${eventId}`)) violations.push(`${service}: event ${eventId} of ${subject} is not on ${topic}`);
    }
    if (waiting.size > 0) violations.push(`${service}: ${waiting.size} events wait in the outbox`);
    violations.push(...unlogged(service, eventLog, records));
  }
  violations.push(...disordered(records));
  return judgement(6, 'committed events reach Kafka in order', checked, violations);
}

/** What stands on a service's topic was committed by it. */
function* unlogged(
  service: string,
  eventLog: Facts['messaging']['ledger']['eventLog'],
  records: Facts['records'],
): Generator<string> {
  const logged = new Set(eventLog.map(({ eventId }) => eventId));
  for (const { source, id, topic } of records) {
    if (source === `urn:compasso:${service}` && id !== undefined && !logged.has(id)) {
      yield `${service}: event ${id} on ${topic} is not in its event log`;
    }
  }
}

function* disordered(records: Facts['records']): Generator<string> {
  const sequenced = records.filter(({ sequence, id }) => sequence !== undefined && id !== undefined);
  const streams = groupBy(sequenced, ({ source, topic, subject }) => `${source} ${topic} ${subject}`);
  for (const [stream, own] of streams) {
    const seen = new Set<string>();
    let last = 0;
    for (const { id, sequence } of [...own].sort((a, b) => Number(a.offset - b.offset))) {
      if (seen.has(id!)) continue;
      seen.add(id!);
      if (sequence! !== last + 1) yield `${stream}: ${sequence} first appears after ${last}`;
      last = sequence!;
    }
  }
}
