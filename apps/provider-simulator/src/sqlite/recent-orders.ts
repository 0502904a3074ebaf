// Orders are asked for again soon after they were written. They are kept in two generations: when the
// younger is full, the older is forgotten as a whole, which costs nothing per order.
import type { Order } from '../domain/payout.ts';

const ordersPerGenerationMax = 5_000;

export class RecentOrders {
  #younger = new Map<string, Order>();
  #older = new Map<string, Order>();

  of(payoutId: string): Order | undefined {
    return this.#younger.get(payoutId) ?? this.#older.get(payoutId);
  }

  keep(order: Order): void {
    if (this.#younger.size >= ordersPerGenerationMax) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(order.payoutId, order);
  }

  forget(payoutId: string): void {
    this.#younger.delete(payoutId);
    this.#older.delete(payoutId);
  }

  forgetAll(): void {
    this.#younger.clear();
    this.#older.clear();
  }
}
