// The provider's JSON, exactly as docs/provider-reference-wire-format.md describes it.
import { centsToWire, type Instant, instantOf, instantToWire } from '@compasso/kernel';
import { behaviourOf } from '../domain/fault-catalogue.ts';
import type { Order } from '../domain/payout.ts';
import type { ListPosition } from '../sqlite/order-table.ts';

export function orderOnWire(order: Order) {
  const { progress } = order;
  return {
    id: order.payoutId,
    orderId: order.orderId,
    status: statusOf(order),
    amountCents: centsToWire(order.amountCents),
    payee: { keyType: order.keyType, keyMasked: order.keyMasked },
    endToEndId: order.endToEndId,
    createdAt: instantToWire(order.createdAt),
    updatedAt: instantToWire(order.updatedAt),
    ...(progress.status === 'failed' && { failure: { code: progress.code } }),
  };
}

const messages: Readonly<Record<string, string>> = {
  body_too_large: 'The body is too large.',
  id_conflict: 'This id belongs to a payout with other content.',
  internal_error: 'Something went wrong on our side.',
  invalid_id: 'The id of a payout is a UUID.',
  invalid_request: 'The request does not fit the documented form.',
  payout_not_found: 'There is no payout with this id.',
  route_not_found: 'There is nothing at this address.',
  too_many_requests: 'Too many requests. Try again later.',
  unauthorized: 'The API key is missing or wrong.',
};

/** Codes without a sentence of their own are SPI's: the payment was refused for good. */
export const errorOnWire = (code: string) => ({
  code,
  message: messages[code] ?? 'The payment was refused.',
});

export const cursorOnWire = ({ updatedAt, revision }: ListPosition): string =>
  Buffer.from(`${updatedAt}.${revision}`).toString('base64url');

export function readCursor(text: string): ListPosition | undefined {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (!match) return undefined;
  return { updatedAt: instantOf(Number(match[1])) satisfies Instant, revision: Number(match[2]) };
}

function statusOf({ progress, fault }: Order): string {
  if (progress.status !== 'processing') return progress.status;
  return behaviourOf(fault).processingWord ?? 'processing';
}
