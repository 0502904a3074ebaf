// What services say of themselves on /metrics: who leads the relay, and how many duplicates were absorbed.
import type { System } from '../../system/system.ts';
import { type DatabaseOwner, databaseOwners } from '../../system/names.ts';

const answerWithinMs = 2_000;

/** The replica whose relay publishes; the first one when nobody says that he does. */
export async function leadingReplica({ managementAddresses }: System, service: DatabaseOwner): Promise<number> {
  const texts = await Promise.all(managementAddresses[service].map(metricsOf));
  const leader = texts.findIndex((text) => sumOf(text, 'compasso_relay_leader', '') === 1);
  return leader < 0 ? 1 : leader + 1;
}

/** Messages that the running services found to be done already. */
export async function duplicatesAbsorbed({ managementAddresses }: System): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const addresses = databaseOwners.flatMap((service) => managementAddresses[service]);
  for (const [at, text] of (await Promise.all(addresses.map(metricsOf))).entries()) {
    counts.set(addresses[at]!, sumOf(text, 'compasso_messages_processed_total', 'verdict="duplicate"'));
  }
  return counts;
}

/** A process that was started again counts from zero. */
export function growth(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const [address, count] of after) {
    const known = before.get(address) ?? 0;
    total += count >= known ? count - known : count;
  }
  return total;
}

async function metricsOf(address: string): Promise<string> {
  try {
    const answer = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(answerWithinMs) });
    return await answer.text();
  } catch {
    // A killed process says nothing; it is not the leader and counts nothing.
    return '';
  }
}

function sumOf(text: string, name: string, label: string): number {
  const lines = text.split('\n').filter((line) => line.startsWith(name) && line.includes(label));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
