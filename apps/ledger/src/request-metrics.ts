// What became of requests, by door. Counted where the decision is made: a transaction that is tried
// again counts again.
import { counter } from '@compasso/observability';
import type { TransferEvent } from './domain/transfer.ts';

export type Door = 'http' | 'topic';

const created = counter('compasso_transfers_created_total');
const refused = counter('compasso_transfers_refused_total');
const commandsRefused = counter('compasso_commands_refused_total');

export function countRequest(door: Door, events: readonly TransferEvent[]): void {
  for (const event of events) {
    if (event.type === 'FundsReserved') created.add(1, { door });
    else if (event.type === 'TransferRefused') refused.add(1, { door, reason: event.reason });
    else if (event.type === 'CommandRefused')
      commandsRefused.add(1, { door, reason: event.reason });
  }
}
