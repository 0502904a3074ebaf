// "Only topics": the kernel's own list of connections shows that no service calls another or reads its database.
import { openReader } from '@compasso/postgres';
import { uuidv7 } from 'uuidv7';
import { openAccount, orderOf, topicOrderOf } from '../../tools/demo/world.ts';
import { databaseOwners, type ServiceName, serviceNames } from '../../tools/system/names.ts';
import { readState } from '../../tools/system/run-state.ts';
import { runDirectory } from '../../tools/system/run-directory.ts';
import type { Stage } from './stage.ts';
import { type Connection, connectionsOf } from './tcp-peers.ts';

const portOf = (address: string): number => Number(new URL(address).port);

export function describePeers(stage: () => Stage): void {
  describe('the TCP peers of each service under load', () => {
    it('are Kafka, its own Postgres, the collector of spans and its clients; gateway and provider know each other', async () => {
      const stopLoad = startLoad(stage());
      const calls = await outgoingCalls(stage(), 25).finally(stopLoad);
      for (const service of serviceNames) {
        const allowed = allowedPorts(stage(), service);
        const others = [...(calls.get(service) ?? [])].filter((port) => !allowed.has(port));
        expect({ service, others }).toEqual({ service, others: [] });
      }
      expect(calls.get('payout-gateway')).toContain(portOf(stage().system.addresses['provider-simulator'][0]!));
      expect(calls.get('ledger')).toContain(portOf(stage().system.databaseUrls.ledger));
    });

    it('reach no database but their own', async () => {
      const { databaseUrls } = stage().system;
      const users = new Map(databaseOwners.map((owner) => [owner, decodeURIComponent(new URL(databaseUrls[owner]).username)]));
      for (const owner of databaseOwners) {
        const reader = openReader(databaseUrls[owner], 'e2e-peers');
        const { rows } = await reader.query<{ usename: string }>('select distinct usename from pg_stat_activity where datname = current_database()');
        await reader.end();
        expect(rows.map(({ usename }) => usename)).toEqual([users.get(owner)]);
        for (const stranger of databaseOwners.filter((name) => name !== owner)) {
          const url = new URL(databaseUrls[stranger]);
          url.pathname = new URL(databaseUrls[owner]).pathname;
          const intruder = openReader(url.href, 'e2e-intruder');
          await expect(intruder.query('select 1')).rejects.toMatchObject({ code: '42501' });
          await intruder.end();
        }
      }
    });
  });
}

/** Requests through both doors, one after the other, until told to stop. */
function startLoad({ clients, world }: Stage): () => Promise<void> {
  const stopping = new AbortController();
  const load = async () => {
    const accountId = await openAccount(world, { fundsCents: 10_000_000 });
    while (!stopping.signal.aborted) {
      await clients.team.request([topicOrderOf({ accountId, amountCents: 1_000, story: 'load' })]);
      await clients.ledger.requestTransfer(uuidv7(), orderOf({ accountId, amountCents: 1_000, story: 'load' }));
    }
  };
  const running = load();
  return async () => {
    stopping.abort();
    await running;
  };
}

/** Ports that the processes of each service have connected to, seen in several looks with load in between. */
async function outgoingCalls({ system, clients }: Stage, looks: number): Promise<ReadonlyMap<ServiceName, ReadonlySet<number>>> {
  const seen = new Map(serviceNames.map((name) => [name, new Set<number>()]));
  for (let look = 0; look < looks; look += 1) {
    await clients.tracker.openCases();
    for (const { name, pid } of system.processes()) {
      const service = serviceNames.find((one) => one === name);
      if (service === undefined) continue;
      const { open, listensOn } = connectionsOf(pid);
      const isCall = ({ localPort }: Connection) => !listensOn.includes(localPort);
      open.filter(isCall).forEach(({ remotePort }) => seen.get(service)!.add(remotePort));
    }
  }
  return seen;
}

function allowedPorts({ system }: Stage, service: ServiceName): ReadonlySet<number> {
  const spans = readState(runDirectory(system.directory).stateFile)?.otlp;
  const collector = spans === undefined ? [] : [portOf(spans)];
  const gateways = system.addresses['payout-gateway'].map(portOf);
  if (service === 'provider-simulator') return new Set([...collector, ...gateways]);
  const kafka = system.brokers.split(',').map((broker) => Number(broker.split(':')[1]));
  const provider = service === 'payout-gateway' ? system.addresses['provider-simulator'].map(portOf) : [];
  return new Set([...collector, ...kafka, ...provider, portOf(system.databaseUrls[service])]);
}
