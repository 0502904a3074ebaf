// The provider's memory. Reads and writes happen inside `inOneCommit`, which decides when they are
// durable.
import type { DatabaseSync } from 'node:sqlite';
import type { PayoutEvent, PlannedNotification } from '../domain/payout.ts';
import { CallTable } from './call-table.ts';
import { openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { NotificationTable } from './notification-table.ts';
import { OrderTable } from './order-table.ts';
import { type FaultSettings, SettingsTable } from './settings-table.ts';

export class SimulatorStore {
  readonly orders: OrderTable;
  readonly calls: CallTable;
  readonly notifications: NotificationTable;
  readonly settings: SettingsTable;
  readonly #database: DatabaseSync;
  readonly #commits: GroupCommit;

  constructor(file: string) {
    this.#database = openDatabase(file);
    this.#commits = new GroupCommit(this.#database, () => this.orders.forget());
    this.orders = new OrderTable(this.#database);
    this.calls = new CallTable(this.#database);
    this.notifications = new NotificationTable(this.#database);
    this.settings = new SettingsTable(this.#database);
  }

  inOneCommit<Result>(work: () => Result): Promise<Result> {
    return this.#commits.run(work);
  }

  /** @returns the notifications that `events` planned: after the commit they are to be sent. */
  apply(payoutId: string, events: readonly PayoutEvent[]): PlannedNotification[] {
    const planned: PlannedNotification[] = [];
    for (const event of events) {
      if (event.type === 'NotificationPlanned')
        planned.push(this.notifications.plan(event.notification));
      else this.orders.apply(payoutId, event);
    }
    return planned;
  }

  async replaceFaults(settings: FaultSettings): Promise<void> {
    await this.inOneCommit(() => this.settings.write(settings));
    this.settings.adopt(settings);
  }

  close(): void {
    this.#commits.flush();
    this.#database.close();
  }
}
