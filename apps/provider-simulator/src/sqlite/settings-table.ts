// Faults set through the admin endpoint. Kept in memory too: every call asks, and only this process
// writes.
import type { DatabaseSync } from 'node:sqlite';
import type { FaultRule } from '../domain/choose-fault.ts';
import type { Unserved } from '../domain/fault.ts';

export interface FaultSettings {
  readonly rules: readonly FaultRule[];
  /** While set, every call of the provider's API goes unserved in this way. */
  readonly outage?: Unserved;
}

export const noFaults: FaultSettings = { rules: [] };

export class SettingsTable {
  readonly #put;
  #current: FaultSettings;

  constructor(database: DatabaseSync) {
    this.#put = database.prepare(
      `insert into settings (name, value) values ('faults', ?)
       on conflict (name) do update set value = excluded.value`,
    );
    const stored = database.prepare(`select value from settings where name = 'faults'`).get();
    this.#current = stored ? (JSON.parse(String(stored['value'])) as FaultSettings) : noFaults;
  }

  get current(): FaultSettings {
    return this.#current;
  }

  write(settings: FaultSettings): void {
    this.#put.run(JSON.stringify(settings));
  }

  /** Called after the commit of `write`: memory never runs ahead of the file. */
  adopt(settings: FaultSettings): void {
    this.#current = settings;
  }
}
