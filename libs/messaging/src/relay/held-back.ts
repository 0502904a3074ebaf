// What could not leave although others could: a transfer whose head fails waits with everything behind it, a topic that
// nothing can be written to waits as a whole, and nobody else does (field failures C-03, C-06).
export const holdLimits = { firstMs: 1_000, maxMs: 15_000 } as const;

interface Hold {
  readonly until: number;
  readonly patienceMs: number;
}

export interface Sendable {
  readonly subject: string;
  readonly topic: string;
}

export const transferHold = (subject: string): string => `transfer ${subject}`;
export const topicHold = (topic: string): string => `topic ${topic}`;
const namesOf = ({ subject, topic }: Sendable): readonly string[] => [transferHold(subject), topicHold(topic)];

export class HeldBack {
  private readonly holds = new Map<string, Hold>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  get size(): number {
    return this.holds.size;
  }

  mustWait(one: Sendable): boolean {
    const now = this.now();
    return namesOf(one).some((name) => (this.holds.get(name)?.until ?? Number.NEGATIVE_INFINITY) > now);
  }

  /** It has failed before: it is tried alone, so that it fails nobody else. */
  isOnProbation(one: Sendable): boolean {
    return namesOf(one).some((name) => this.holds.has(name));
  }

  release(one: Sendable): void {
    for (const name of namesOf(one)) this.holds.delete(name);
  }

  /** Each failure makes us more patient. */
  add(name: string): void {
    const known = this.holds.get(name);
    const patienceMs = known === undefined ? holdLimits.firstMs : Math.min(holdLimits.maxMs, known.patienceMs * 2);
    this.holds.set(name, { until: this.now() + patienceMs, patienceMs });
  }

  /** The broker was away: who was held meanwhile is tried at once. */
  forgive(): void {
    this.holds.clear();
  }
}
