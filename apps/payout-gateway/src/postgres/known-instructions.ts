// Instructions that this process has read. Their rows are inserted once, never changed and never deleted, so what was read
// stays true: a payout's four transactions read it once. Only committed rows come in here; a rollback leaves no trace.
import type { WorkingSet } from '@compasso/messaging';
import type { Instruction } from '../domain/payout.ts';
import { instructionOfRow } from './payout-rows.ts';
import { instructionTable } from './tables.ts';

const limits = { keptMax: 10_000 } as const;

export class KnownInstructions {
  readonly #keptMax: number;
  readonly #kept = new Map<string, Instruction>();

  constructor(keptMax: number = limits.keptMax) {
    this.#keptMax = keptMax;
  }

  /** Those of these payouts, as far as they exist; what is not known here is read in one statement. */
  async of(set: WorkingSet, transferIds: readonly string[]): Promise<ReadonlyMap<string, Instruction>> {
    const found = new Map<string, Instruction>();
    const missing: string[] = [];
    for (const transferId of transferIds) {
      const kept = this.#kept.get(transferId);
      if (kept === undefined) missing.push(transferId);
      else found.set(transferId, kept);
    }
    await set.read(
      instructionTable,
      missing.map((transferId) => [transferId]),
    );
    for (const transferId of missing) {
      const row = set.get(instructionTable, transferId);
      if (row === undefined) continue;
      const instruction = instructionOfRow(row);
      this.#keep(instruction);
      found.set(transferId, instruction);
    }
    return found;
  }

  #keep(instruction: Instruction): void {
    // The one that was read first goes first: most payouts end seconds after they began.
    for (const [oldest] of this.#kept) {
      if (this.#kept.size < this.#keptMax) break;
      this.#kept.delete(oldest);
    }
    this.#kept.set(instruction.transferId, instruction);
  }
}
