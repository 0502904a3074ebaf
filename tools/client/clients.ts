// Everything that demo, end-to-end tests and bench say to a running system, from the outside only.
import { readFileSync } from 'node:fs';
import type { PublicKeys } from '@compasso/contracts';
import { connectKafka } from '../system/kafka-connection.ts';
import { keyFiles } from '../system/keys.ts';
import { everyScope, mintToken } from '../mint-token.ts';
import type { System } from '../system/system.ts';
import { HttpPeers } from './http-peers.ts';
import { LedgerClient } from './ledger-client.ts';
import { PayoutClient } from './payout-client.ts';
import { SimulatorClient } from './simulator-client.ts';
import { TeamProducer } from './team-producer.ts';
import { TrackerClient } from './tracker-client.ts';

export interface Clients {
  readonly ledger: LedgerClient;
  readonly payouts: PayoutClient;
  readonly tracker: TrackerClient;
  readonly simulator: SimulatorClient;
  readonly team: TeamProducer;
  close(): Promise<void>;
}

export type Reached = Pick<System, 'addresses' | 'keysDirectory' | 'brokers' | 'topicPrefix'>;

const team = 'acme';

export async function clientsOf(system: Reached): Promise<Clients> {
  const { addresses, keysDirectory, brokers, topicPrefix } = system;
  const keys = keyFiles(keysDirectory);
  const token = await mintToken(keysDirectory, { scope: everyScope, expires: '12h', subject: 'demo' });
  const producer = new TeamProducer({
    kafka: connectKafka({ ...process.env, KAFKA_BROKERS: brokers }, `team-${team}`),
    team,
    topicPrefix,
    gatewayKeys: JSON.parse(readFileSync(keys.payeeJwks, 'utf8')) as PublicKeys,
  });
  return {
    ledger: new LedgerClient(new HttpPeers(addresses.ledger, token)),
    payouts: new PayoutClient(new HttpPeers(addresses['payout-gateway'], token)),
    tracker: new TrackerClient(new HttpPeers(addresses['transfer-tracker'], token)),
    simulator: new SimulatorClient(new HttpPeers(addresses['provider-simulator'], readFileSync(keys.providerApi, 'utf8').trim())),
    team: producer,
    close: () => producer.close(),
  };
}
