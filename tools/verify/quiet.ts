// Judging needs a system that has come to rest: nothing waits in an outbox, every group has read to the end, and no payout is
// due. A system that never rests is judged as it is, and the judges say what is missing.
import { setTimeout as pause } from 'node:timers/promises';
import { serviceNames } from '@compasso/contracts';
import { openReader } from '@compasso/postgres';
import type { Sources } from './sources.ts';
import { consumerGroups, openTransport } from './topic-facts.ts';

/** What still moves, in words; empty = at rest. */
export async function moving(sources: Sources): Promise<readonly string[]> {
  const transport = openTransport(sources);
  const pools = Object.fromEntries(
    serviceNames.map((service) => [service, openReader(sources.databaseUrls[service], 'verify')]),
  );
  const found: string[] = [];
  try {
    for (const service of serviceNames) {
      const { rows } = await pools[service]!.query('select count(*)::int as n from outbox');
      if (rows[0].n > 0) found.push(`${service}: ${rows[0].n} events in the outbox`);
    }
    const undecided = await pools['payout-gateway']!.query(
      `select count(*)::int as n from payout where state not in ('confirmed', 'rejected', 'review')`,
    );
    if (undecided.rows[0].n > 0) found.push(`${undecided.rows[0].n} payouts without an outcome`);
    for (const { service, group, topic } of consumerGroups(sources)) {
      const { rows } = await pools[service]!.query(
        'select partition, next_offset from position where group_name = $1 and topic = $2',
        [group, topic],
      );
      const read = new Map(rows.map((row) => [row.partition as number, row.next_offset as bigint]));
      const offsets = await transport.offsets(topic);
      const lag = offsets.reduce((sum, { partition, first, next }) => sum + next - (read.get(partition) ?? first), 0n);
      if (lag > 0n) found.push(`${group}: ${lag} records unread`);
    }
  } finally {
    await transport.close();
    await Promise.all(Object.values(pools).map((pool) => pool.end()));
  }
  return found;
}

/** Waits for rest, twice in a row; returns what still moves when the time is up. */
export async function untilQuiet(sources: Sources, withinMs: number): Promise<readonly string[]> {
  const deadline = performance.now() + withinMs;
  let calm = 0;
  for (;;) {
    const found = await moving(sources).catch((error: unknown) => [String(error)]);
    calm = found.length === 0 ? calm + 1 : 0;
    if (calm >= 2 || performance.now() > deadline) return found;
    await pause(250);
  }
}
