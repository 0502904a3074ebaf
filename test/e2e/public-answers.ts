// Everything that callers can be told, in one comparable piece.
import type { Clients } from '../../tools/client/clients.ts';
import type { Axes } from '../../tools/client/tracker-client.ts';

export interface PublicAnswers {
  readonly transfers: readonly object[];
  readonly accounts: readonly object[];
  readonly orders: readonly object[];
}

/** @param rebuilt leaves out what a new projection may say otherwise: its own number */
export async function publicAnswers(clients: Clients, { rebuilt = false } = {}): Promise<PublicAnswers> {
  const listed = await clients.tracker.transfers();
  const accountIds = [...new Set(listed.map(({ accountId }) => accountId))].sort();
  const accounts = await Promise.all(accountIds.map((accountId) => accountAnswer(accountId, clients)));
  const orders = await clients.simulator.orders();
  return {
    transfers: sortedBy('transferId', listed.map((transfer) => comparable(transfer, rebuilt))),
    accounts,
    orders: sortedBy('orderId', orders.map((order) => ({ ...order }))),
  };
}

/** Also that there is no such account: somebody may have asked for a transfer from it. */
async function accountAnswer(accountId: string, { ledger }: Clients): Promise<object> {
  const { status, body } = await ledger.http.call({ path: `/v1/accounts/${accountId}` });
  return { status, body, entries: status === 200 ? await ledger.entries(accountId) : [] };
}

/**
 * `asOf` says how far the tracker has read, which goes on by itself. While a person has to decide, the provider is still
 * asked: the answer counts one event more each time, and names the next check.
 */
function comparable(transfer: Axes, rebuilt: boolean): Record<string, unknown> {
  const { asOf: _asOf, projection, version, nextStep, ...rest } = transfer as Axes & Record<string, unknown>;
  const counted = transfer.state === 'needs_review' ? rest : { ...rest, version, nextStep };
  return rebuilt ? counted : { ...counted, projection };
}

const sortedBy = <Item extends Record<string, unknown>>(name: string, items: readonly Item[]): readonly Item[] =>
  [...items].sort((left, right) => String(left[name]).localeCompare(String(right[name])));
