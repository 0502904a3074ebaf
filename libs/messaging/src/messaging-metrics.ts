// What operators see of the shell and the relay; the names are in libs/observability.
import { counter, gauge, histogram, type Logger } from '@compasso/observability';
import { CodedError } from '@compasso/kernel';
import type { SubscriptionHealth } from './ports/transport.ts';
import type { RelayObservation } from './relay/outbox-relay.ts';
import type { BatchApplied, BatchObservation } from './shell/consume.ts';

const processed = counter('compasso_messages_processed_total');
const batchSeconds = histogram('compasso_batch_duration_seconds');
const batchMessages = histogram('compasso_batch_messages');
const messageAge = histogram('compasso_message_age_seconds');
const unknownTypes = counter('compasso_messages_unknown_type_total');
const splits = counter('compasso_batch_splits_total');
const retries = counter('compasso_batch_retries_total');
const deadLetters = counter('compasso_dead_letters_opened_total');
const published = counter('compasso_outbox_published_total');
const publishSeconds = histogram('compasso_outbox_publish_duration_seconds');
const publishFailures = counter('compasso_outbox_publish_failures_total');

export interface Watched {
  readonly isLeader: () => boolean;
  readonly health: () => readonly (SubscriptionHealth & { readonly topic: string })[];
}

export class MessagingMetrics {
  private readonly logger: Logger;
  private backlogRows = 0;
  private backlogOldest: number | undefined;

  constructor(logger: Logger) {
    this.logger = logger;
  }

  watch({ isLeader, health }: Watched): void {
    gauge('compasso_relay_leader', () => (isLeader() ? 1 : 0));
    gauge('compasso_outbox_rows', () => (isLeader() ? this.backlogRows : undefined));
    gauge('compasso_outbox_oldest_age_seconds', () => {
      if (!isLeader()) return undefined;
      return this.backlogOldest === undefined ? 0 : Math.max(0, Date.now() - this.backlogOldest) / 1000;
    });
    gauge('compasso_consumer_lag_messages', () =>
      health().map(({ topic, lag }) => ({ value: Number(lag), labels: { topic, partition: 'all' } })),
    );
    gauge('compasso_consumer_partitions_assigned', () =>
      health().map(({ topic, partitions }) => ({ value: partitions, labels: { topic } })),
    );
    gauge('compasso_consumer_progress_age_seconds', () =>
      health().map(({ topic, silenceMs }) => ({ value: silenceMs / 1000, labels: { topic } })),
    );
  }

  observe(observation: BatchObservation | RelayObservation): void {
    switch (observation.kind) {
      case 'applied':
        return this.observeApplied(observation);
      case 'retried':
        return retries.add(1, { topic: observation.topic, cause: observation.cause });
      case 'split':
        splits.add(1, { topic: observation.topic });
        return this.logger.warn(
          { topic: observation.topic, messages: observation.messages, error: described(observation.error) },
          'a batch is split to find the message that cannot be handled',
        );
      case 'declared-dead':
        deadLetters.add(1, { topic: observation.topic, reason: 'handling_failed_three_times' });
        return this.logger.fatal(
          { topic: observation.topic, offset: String(observation.offset), error: described(observation.error) },
          'a message stopped the process three times and is now a dead letter',
        );
      case 'published':
        publishSeconds.record(observation.seconds);
        for (const [topic, count] of counted(observation.records.map(({ topic }) => topic))) {
          published.add(count, { topic });
        }
        return;
      case 'failed':
        publishFailures.add(1, { cause: observation.error instanceof Error ? observation.error.name : 'unknown' });
        return this.logger.warn(
          { records: observation.records, error: described(observation.error) },
          'events could not be published; they stay in the outbox',
        );
      case 'orphaned':
        return this.logger.fatal(
          { eventId: observation.eventId, recordedOn: observation.recordedOn },
          'an outbox row has no event in the log: it cannot be published, and its transfer has a gap',
        );
      case 'backlog':
        this.backlogRows = observation.rows;
        this.backlogOldest = observation.oldest;
    }
  }

  private observeApplied({ topic, outcome, seconds, messages, oldest }: BatchApplied): void {
    for (const [verdict, count] of Object.entries(outcome.verdicts)) processed.add(count, { topic, verdict });
    batchSeconds.record(seconds, { topic });
    batchMessages.record(messages, { topic });
    if (oldest !== undefined) messageAge.record(Math.max(0, Date.now() - oldest) / 1000, { topic });
    if (outcome.unknownTypes > 0) {
      unknownTypes.add(outcome.unknownTypes, { topic });
      this.logger.warn({ topic, count: outcome.unknownTypes }, 'events of a type that this build does not know were passed over');
    }
    this.reportDead(topic, outcome.verdicts.dead ?? 0);
  }

  private reportDead(topic: string, count: number): void {
    if (count === 0) return;
    deadLetters.add(count, { topic, reason: 'unreadable' });
    this.logger.error({ topic, count }, 'messages were set aside as dead letters');
  }
}

const counted = (names: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

const described = (error: unknown): object =>
  error instanceof CodedError
    ? { code: error.code, ...error.facts }
    : { name: error instanceof Error ? error.name : typeof error, message: error instanceof Error ? error.message : '' };
