// Which port each process gets, before anything starts: processes are told each other's addresses,
// and a process that dies comes back where it was.
import { claimPort, loopback, type PortClaim } from '../../infra/ports.ts';
import { kafkaPortFirst } from '../../infra/kafka/kafka.ts';
import { postgresPortFirst } from '../../infra/postgres/postgres.ts';
import { type Addresses, type Replicas, type ServiceName, serviceNames } from './names.ts';

export type PortPlan = {
  readonly kafka: number;
  readonly postgres: number;
  readonly http: Readonly<Record<ServiceName, readonly number[]>>;
  readonly management: Readonly<Record<ServiceName, readonly number[]>>;
  release(): void;
};

const servicePortFirst: Record<ServiceName, number> = {
  ledger: 18_110,
  'payout-gateway': 18_120,
  'transfer-tracker': 18_130,
  'provider-simulator': 18_140,
};
const managementOffset = 100;

export async function planPorts(replicas: Replicas): Promise<PortPlan> {
  const claims: PortClaim[] = [];
  const claim = async (first: number) => {
    const taken = await claimPort(first);
    claims.push(taken);
    return taken.port;
  };
  const claimForServices = async (offset: number) => {
    const ports: Partial<Record<ServiceName, number[]>> = {};
    for (const service of serviceNames) {
      const own: number[] = [];
      for (let index = 0; index < replicas[service]; index += 1) {
        own.push(await claim(servicePortFirst[service] + offset + index));
      }
      ports[service] = own;
    }
    return ports as Record<ServiceName, number[]>;
  };
  return {
    kafka: await claim(kafkaPortFirst),
    postgres: await claim(postgresPortFirst),
    http: await claimForServices(0),
    management: await claimForServices(managementOffset),
    release: () => claims.forEach((taken) => taken.release()),
  };
}

export function addressesOf(ports: Readonly<Record<ServiceName, readonly number[]>>): Addresses {
  const entries = serviceNames.map((name) => [
    name,
    ports[name].map((port) => `http://${loopback}:${port}`),
  ]);
  return Object.fromEntries(entries) as Addresses;
}
