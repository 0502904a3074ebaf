// Every metric of every service, by its final Prometheus name. Alert rules, dashboards and the
// helpers in metrics.ts take names from here only, so a metric that nobody emits cannot be alerted
// on by mistake.

export interface MetricDefinition {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of the buckets; histograms only. */
  readonly buckets?: readonly number[];
}

const seconds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
] as const;
const messages = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000] as const;

const counter = <const Labels extends readonly string[]>(help: string, labels: Labels) =>
  ({ kind: 'counter', help, labels }) as const;
const gauge = <const Labels extends readonly string[]>(help: string, labels: Labels) =>
  ({ kind: 'gauge', help, labels }) as const;
const histogram = <const Labels extends readonly string[]>(
  help: string,
  labels: Labels,
  buckets: readonly number[] = seconds,
) => ({ kind: 'histogram', help, labels, buckets }) as const;

const processMetrics = {
  compasso_service_ready: gauge('1 while the service answers ready.', []),
  compasso_readiness_check_ok: gauge('1 while the named readiness check passes.', ['check']),
  compasso_process_cpu_seconds_total: counter('CPU time of the process.', ['mode']),
  compasso_process_resident_memory_bytes: gauge('Resident memory.', []),
  compasso_process_heap_used_bytes: gauge('Used JavaScript heap.', []),
  compasso_process_uptime_seconds: gauge('Time since the process started.', []),
  compasso_event_loop_utilization_ratio: gauge(
    'Busy share of the event loop since the last scrape.',
    [],
  ),
  compasso_spans_total: counter('Spans by what became of them.', ['outcome']),
} as const;

const httpMetrics = {
  compasso_http_requests_total: counter('Answered requests.', ['method', 'route', 'status']),
  compasso_http_request_duration_seconds: histogram('Time to answer.', ['method', 'route']),
  compasso_http_refusals_total: counter('Requests answered with a problem.', ['route', 'code']),
} as const;

const messagingMetrics = {
  compasso_outbox_rows: gauge('Committed events that are not yet published.', []),
  compasso_outbox_oldest_age_seconds: gauge('Age of the oldest unpublished event.', []),
  compasso_outbox_published_total: counter('Events that the broker acknowledged.', ['topic']),
  compasso_outbox_publish_duration_seconds: histogram('One send to the broker.', []),
  compasso_outbox_publish_failures_total: counter('Sends that failed.', ['cause']),
  compasso_relay_leader: gauge('1 on the replica whose relay publishes.', []),
  compasso_messages_processed_total: counter('Messages by verdict.', ['topic', 'verdict']),
  compasso_messages_unknown_type_total: counter('Messages of a type that nobody handles.', [
    'topic',
  ]),
  compasso_message_age_seconds: histogram('Broker timestamp to commit.', ['topic']),
  compasso_batch_duration_seconds: histogram('One batch transaction.', ['topic']),
  compasso_batch_messages: histogram('Messages in one batch.', ['topic'], messages),
  compasso_batch_splits_total: counter('Batches split to find a bad message.', ['topic']),
  compasso_batch_retries_total: counter('Batches tried again.', ['topic', 'cause']),
  compasso_consumer_lag_messages: gauge('Messages not yet read.', ['topic', 'partition']),
  compasso_consumer_progress_age_seconds: gauge('Time since the consumer last proved progress.', [
    'topic',
  ]),
  compasso_consumer_generations_total: counter('Consumer generations begun.', ['topic', 'cause']),
  compasso_consumer_partitions_assigned: gauge('Partitions of this replica.', ['topic']),
  compasso_producer_generations_total: counter('Producer generations begun.', ['cause']),
  compasso_dead_letters_open: gauge('Dead messages that wait for a person.', ['topic']),
  compasso_dead_letters_opened_total: counter('Messages declared dead.', ['topic', 'reason']),
  compasso_dead_letters_replayed_total: counter('Dead messages replayed.', ['topic', 'outcome']),
  compasso_messages_parked: gauge('Messages that wait behind a dead one.', ['topic']),
  compasso_log_data_lost_total: counter('Positions that the broker no longer holds.', ['topic']),
} as const;

const databaseMetrics = {
  compasso_database_connections: gauge('Connections by state.', ['state']),
  compasso_database_transaction_duration_seconds: histogram('Transactions.', ['kind']),
  compasso_database_transaction_retries_total: counter('Transactions run again.', ['code']),
  compasso_lease_held: gauge('1 while this replica holds the lease.', ['lease']),
} as const;

const ledgerMetrics = {
  compasso_transfers_created_total: counter('Transfers whose hold was made.', ['door']),
  compasso_transfers_refused_total: counter('Transfers refused.', ['door', 'reason']),
  compasso_commands_refused_total: counter('Requests refused before a transfer existed.', [
    'door',
    'reason',
  ]),
  compasso_transfers_settled_total: counter('Transfers settled.', []),
  compasso_transfers_released_total: counter('Holds given back.', ['reason']),
  compasso_holds_open: gauge('Holds neither settled nor released.', []),
  compasso_holds_oldest_age_seconds: gauge('Age of the oldest open hold.', []),
  compasso_books_violations: gauge('Broken bookkeeping rules; anything but 0 pages.', ['rule']),
} as const;

const gatewayMetrics = {
  compasso_payouts_open: gauge('Payouts without an outcome.', ['status']),
  compasso_payouts_oldest_unknown_age_seconds: gauge(
    'Age of the oldest payout of unknown outcome.',
    [],
  ),
  compasso_payouts_in_review: gauge('Payouts that wait for a person.', []),
  compasso_payouts_decided_total: counter('Payouts with proof.', ['outcome']),
  compasso_payout_calls_total: counter('Submissions to the provider.', ['provider', 'outcome']),
  compasso_payout_queries_total: counter('Queries to the provider.', ['provider', 'answer']),
  compasso_provider_call_duration_seconds: histogram('Calls to the provider.', [
    'provider',
    'operation',
  ]),
  compasso_provider_calls_in_flight: gauge('Calls to the provider that are open.', ['provider']),
  compasso_provider_breaker_open: gauge('1 while the breaker holds calls back.', ['provider']),
  compasso_provider_paused: gauge('1 while sending is paused.', ['provider']),
  compasso_payees_unreadable: gauge('Payouts whose payee cannot be opened.', []),
  compasso_webhooks_total: counter('Webhook calls by verdict.', ['provider', 'verdict']),
} as const;

const trackerMetrics = {
  compasso_events_recorded_total: counter('Events appended to the tracker.', ['source', 'type']),
  compasso_sagas: gauge('Sagas by state.', ['state']),
  compasso_sagas_by_attention: gauge('Sagas by attention.', ['attention']),
  compasso_sagas_oldest_open_age_seconds: gauge('Age of the oldest saga that has not ended.', []),
  compasso_events_off_score_total: counter('Events that the score does not know.', ['type']),
  compasso_projection_as_of_age_seconds: gauge('How far behind the wall clock we have read.', [
    'topic',
  ]),
  compasso_status_changes_published_total: counter('Public status changes.', ['state']),
  compasso_saga_duration_seconds: histogram('Request to terminal state.', ['state']),
} as const;

const simulatorMetrics = {
  compasso_simulator_calls_total: counter('Calls that the simulator received.', [
    'operation',
    'answer',
  ]),
  compasso_simulator_webhooks_total: counter('Webhooks that the simulator sent.', ['outcome']),
} as const;

export const metricDefinitions = {
  ...processMetrics,
  ...httpMetrics,
  ...messagingMetrics,
  ...databaseMetrics,
  ...ledgerMetrics,
  ...gatewayMetrics,
  ...trackerMetrics,
  ...simulatorMetrics,
} as const satisfies Readonly<Record<`compasso_${string}`, MetricDefinition>>;

type Definitions = typeof metricDefinitions;

export type MetricName = keyof Definitions;

export type MetricNameOf<Kind extends MetricDefinition['kind']> = {
  [Name in MetricName]: Definitions[Name]['kind'] extends Kind ? Name : never;
}[MetricName];

/** The labels of a metric: all of them, or (for a metric without labels) nothing. */
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<Definitions[Name]['labels'][number], string>
>;
