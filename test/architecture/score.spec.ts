// The score is worth reading because the services play it: what each registers is what the score says it reacts to, and
// what each publishes is emitted somewhere in its sources.
import { contracts, reactionsOf, score, type ServiceName, serviceNames, type TopicFamily } from '@compasso/contracts';
import type { SubscriptionDefinition } from '@compasso/messaging';
import { ledgerDefinition, type LedgerParts } from '../../apps/ledger/src/ledger.definition.ts';
import { type GatewayParts, payoutGateway } from '../../apps/payout-gateway/src/payout-gateway.definition.ts';
import { trackerDefinition, trackerRules } from '../../apps/transfer-tracker/src/transfer-tracker.definition.ts';
import { repository } from './repository.ts';

const teams = ['acme', 'globex'];

// A definition only hands its parts on to handlers, which are not called here.
const ledgerParts = { teams: teams.map((name) => ({ name, accounts: '*' })) } as unknown as LedgerParts;
const gatewayParts = { provider: {} } as unknown as GatewayParts;

const subscriptions: Readonly<Record<ServiceName, readonly SubscriptionDefinition<never>[]>> = {
  ledger: ledgerDefinition(ledgerParts).subscriptions,
  'payout-gateway': payoutGateway(gatewayParts).subscriptions,
  'transfer-tracker': trackerDefinition({ requestTeams: teams, rules: trackerRules(1) }).subscriptions,
};

const registeredBy = (service: ServiceName): ReadonlySet<string> =>
  new Set(subscriptions[service].flatMap(({ reactions }) => reactions.map(({ contract }) => contract.name)));

describe.each(serviceNames)('%s', (service) => {
  it('reacts to exactly the events that the score gives it', () => {
    expect([...registeredBy(service)].sort()).toEqual([...reactionsOf(service)].sort());
  });

  it('reacts to an event only on the topics that carry it', () => {
    const strays = subscriptions[service].flatMap(({ topic, reactions }) =>
      reactions.filter(({ contract }) => contract.family !== topic.family).map(({ contract }) => `${contract.name} on ${topic.name}`),
    );
    expect(strays).toEqual([]);
  });

  it('listens to each topic once', () => {
    const names = subscriptions[service].map(({ topic }) => topic.name);
    expect(names).toEqual([...new Set(names)]);
  });

  it('parks nothing on topics of requests, where each command is a saga of its own', () => {
    const isRequests = (family: TopicFamily): boolean => family === 'transfer-requests';
    expect(subscriptions[service].filter(({ topic, parks }) => parks && isRequests(topic.family))).toEqual([]);
  });

  it('emits in its sources every event that the score says it publishes', () => {
    expect(score.filter(({ publisher }) => publisher === service).map(({ event }) => event).filter(isNeverEmittedBy(service))).toEqual([]);
  });
});

describe('the events that any service publishes', () => {
  it('are emitted by the shell, which all of them share', () => {
    const shared = score.filter(({ publisher }) => publisher === 'any-service').map(({ event }) => event);
    expect(shared.filter((event) => !isNamedIn('libs/messaging/src/', event))).toEqual([]);
  });
});

const isNeverEmittedBy = (service: ServiceName) => (event: string): boolean => !isNamedIn(`apps/${service}/src/`, event);

// `ledger.funds-reserved` is the constant ledgerFundsReservedV1.
function isNamedIn(directory: string, event: string): boolean {
  const version = contracts.find(({ name }) => name === event)?.version ?? 1;
  const constant = `${event.replace(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase())}V${version}`;
  return repository.some(
    ({ path, text }) => path.startsWith(directory) && !/\.(spec|fixture|story)\.ts$/.test(path) && text.includes(constant),
  );
}
