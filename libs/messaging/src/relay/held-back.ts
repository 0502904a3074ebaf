/** Transfers whose head could not leave in this round; everything behind it waits, with growing patience. */
export class HeldBack {
  private readonly rounds = new Map<string, { wait: number; left: number }>();

  get size(): number {
    return this.rounds.size;
  }

  has(subject: string): boolean {
    return (this.rounds.get(subject)?.left ?? 0) > 0;
  }

  add(subject: string): void {
    const wait = Math.min(64, (this.rounds.get(subject)?.wait ?? 0.5) * 2);
    this.rounds.set(subject, { wait, left: wait });
  }

  /** Whoever has waited long enough is tried again; whoever left in the meantime is forgotten. */
  nextRound(): void {
    for (const [subject, state] of this.rounds) {
      if (state.left <= 0) this.rounds.delete(subject);
      else state.left -= 1;
    }
  }
}
