// The provider's own store: the one place that knows what money left.
import { centsOf } from '@compasso/kernel';
import type { Facts } from '@compasso/testing';
import type { Sources } from './sources.ts';

interface AdminOrder {
  readonly id: string;
  readonly orderId: string;
  readonly amountCents: number;
  readonly status: string;
  readonly live: boolean;
}

export async function providerOrders({ provider }: Pick<Sources, 'provider'>): Promise<Facts['orders']> {
  const orders: AdminOrder[] = [];
  let cursor: string | null = null;
  do {
    const url = new URL('/admin/orders', provider.url);
    url.searchParams.set('limit', '1000');
    if (cursor !== null) url.searchParams.set('cursor', cursor);
    const response = await fetch(url, { headers: { authorization: `Bearer ${provider.apiKey}` } });
    const page = (await response.json()) as { items: AdminOrder[]; nextCursor: string | null };
    orders.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return orders.map((order) => ({
    payoutId: order.id,
    orderId: order.orderId,
    amountCents: centsOf(order.amountCents),
    status: order.status,
    live: order.live,
  }));
}
