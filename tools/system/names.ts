// What runs, and what it is called: in processes, log files, addresses and on the command line.

export const serviceNames = [
  'ledger',
  'payout-gateway',
  'transfer-tracker',
  'provider-simulator',
] as const;
export type ServiceName = (typeof serviceNames)[number];

/** The services that own a database. */
export const databaseOwners = ['ledger', 'payout-gateway', 'transfer-tracker'] as const;
export type DatabaseOwner = (typeof databaseOwners)[number];

export type ProcessName = ServiceName | 'kafka' | 'postgres';

export type Replicas = Readonly<Record<ServiceName, number>>;
export type Addresses = Readonly<Record<ServiceName, readonly string[]>>;
export type DatabaseUrls = Readonly<Record<DatabaseOwner, string>>;

/**
 * Two of everything that must survive the death of one; the simulator stands for somebody else's
 * single system.
 */
export const defaultReplicas: Replicas = {
  ledger: 2,
  'payout-gateway': 2,
  'transfer-tracker': 2,
  'provider-simulator': 1,
};

/** `payout-gateway` → `DATABASE_URL_PAYOUT_GATEWAY` */
export function databaseVariable(service: DatabaseOwner): string {
  return `DATABASE_URL_${service.replaceAll('-', '_').toUpperCase()}`;
}
