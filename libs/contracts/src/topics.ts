// The only list of topics. Compose, ACLs, tests, documentation and the services take theirs from here.

/** Fixed for a topic's major version: a key must stay in its partition for ever (attack H25). */
export const partitionCount = 12;

export type TopicFamily =
  | 'transfer-requests'
  | 'ledger-events'
  | 'payout-events'
  | 'clearances'
  | 'review-decisions'
  | 'operations'
  | 'transfer-status'
  | 'dead-letters';

export type ServiceName = 'ledger' | 'payout-gateway' | 'transfer-tracker';
export const serviceNames: readonly ServiceName[] = ['ledger', 'payout-gateway', 'transfer-tracker'];

export interface TopicDefinition {
  readonly name: string;
  readonly family: TopicFamily;
  /** The `ce_source` of its one writing principal. A consumer cannot see who wrote, so the topic is the identity. */
  readonly source: string;
  readonly partitions: number;
  readonly config: Readonly<Record<string, string>>;
}

const day = 86_400_000;
const facts = { 'cleanup.policy': 'delete', 'retention.ms': String(30 * day) };
const latestState = { 'cleanup.policy': 'compact,delete', 'retention.ms': String(90 * day) };

export const sourceOfService = (service: ServiceName): string => `urn:compasso:${service}`;
export const sourceOfTeam = (team: string): string => `urn:compasso:team:${team}`;

const define = (
  name: string,
  family: TopicFamily,
  source: string,
  config: Readonly<Record<string, string>> = facts,
): TopicDefinition => ({
  name,
  family,
  source,
  partitions: partitionCount,
  config: { ...config, 'max.message.bytes': '1048576', 'message.timestamp.type': 'LogAppendTime' },
});

export const ledgerEvents = define('pix.ledger-events.v1', 'ledger-events', sourceOfService('ledger'));
export const payoutEvents = define(
  'pix.payout-events.v1',
  'payout-events',
  sourceOfService('payout-gateway'),
);
export const transferStatus = define(
  'pix.transfer-status.v1',
  'transfer-status',
  sourceOfService('transfer-tracker'),
  latestState,
);

/** @param team lower-case letters, digits and hyphens */
export const transferRequestsOf = (team: string): TopicDefinition =>
  define(`pix.transfer-requests.${team}.v1`, 'transfer-requests', sourceOfTeam(team));

export const deadLettersOf = (service: ServiceName): TopicDefinition =>
  define(`pix.dead-letters.${service}.v1`, 'dead-letters', sourceOfService(service));

export interface Deployment {
  readonly requestTeams: readonly string[];
}

export const allTopics = (deployment: Deployment): readonly TopicDefinition[] => [
  ...deployment.requestTeams.map(transferRequestsOf),
  ledgerEvents,
  payoutEvents,
  transferStatus,
  ...serviceNames.map(deadLettersOf),
];
