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

/**
 * Who was tried in vain since anything last left. While nothing leaves it is not known who is to blame, so those that were
 * not tried come first: bad ones never hide good ones.
 */
export class Suspects {
  private readonly names = new Set<string>();

  /** 0: neither its transfer nor its topic was tried. */
  rank({ subject, topic }: Sendable): number {
    return (this.names.has(topicHold(topic)) ? 2 : 0) + (this.names.has(transferHold(subject)) ? 1 : 0);
  }

  add(name: string): void {
    this.names.add(name);
  }

  exist(): boolean {
    return this.names.size > 0;
  }

  clear(): void {
    this.names.clear();
  }
}

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

  forgive(): void {
    this.holds.clear();
  }
}
