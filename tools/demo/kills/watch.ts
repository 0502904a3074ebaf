// Looks into the databases of a running system to find the moment for a kill: when events wait in an outbox and enough
// transfers are in flight. The look is the only thing here that a caller of the services could not do.
import { openReader } from '@compasso/postgres';
import type { DatabaseOwner } from '../../system/names.ts';
import type { System } from '../../system/system.ts';

export interface Moment {
  /** Events that are committed and not yet acknowledged by the broker. */
  readonly waiting: number;
  /** Transfers of these accounts whose money is on hold. */
  readonly inFlight: number;
  /** All that the ledger has seen of these accounts. */
  readonly known: number;
}

export interface Watch {
  look(): Promise<Moment>;
  close(): Promise<void>;
}

type Reader = ReturnType<typeof openReader>;

export function watchMoments(system: System, owner: DatabaseOwner, accountIds: readonly string[]): Watch {
  const ledger = openReader(system.databaseUrls.ledger, 'demo');
  const outbox = owner === 'ledger' ? ledger : openReader(system.databaseUrls[owner], 'demo');
  return {
    async look() {
      const [{ waiting }, transfers] = await Promise.all([
        rowFrom<{ waiting: number }>(outbox, 'select count(*)::int as waiting from outbox', []),
        rowFrom<{ inFlight: number; known: number }>(ledger, transfersSql, [accountIds]),
      ]);
      return { waiting, ...transfers };
    },
    close: async () => void (await Promise.all([...new Set([ledger, outbox])].map((reader) => reader.end()))),
  };
}

const transfersSql = `
select count(*) filter (where state in ('reserved', 'authorized'))::int as "inFlight", count(*)::int as known
from transfer where account_id = any($1::uuid[])`;

async function rowFrom<Row extends object>(reader: Reader, sql: string, values: readonly unknown[]): Promise<Row> {
  const { rows } = await reader.query<Row>(sql, [...values]);
  return rows[0]!;
}
