// One round of sends: all together while that works; one by one, taking turns between topics, to find what does not.
import type { Key } from '../ports/table.ts';
import { outboxTable } from '../shell/tables.ts';
import { type HeldBack, type Suspects, topicHold, transferHold } from './held-back.ts';
import type { Waiting } from './outbox-page.ts';
import type { RelayParts } from './outbox-relay.ts';

export const sendingLimits = {
  /** Below the broker's limit for one partition's part of a request. */
  bytesMax: 524_288,
  /** After so many failures in a row the fault is in the broker rather than in the events. */
  failuresInARowMax: 3,
  /** After so many failures, and not one success, it is in the topic. */
  topicFailuresMax: 2,
} as const;

/** `away`: events that had never failed before could not leave, and nothing could. */
export interface SendingResult {
  readonly published: number;
  readonly away: boolean;
}

export class Sending {
  private readonly parts: RelayParts;
  private readonly heldBack: HeldBack;
  private readonly suspects: Suspects;
  private readonly failed = new Map<string, string>();
  private readonly leftByTopic = new Map<string, number>();
  private published = 0;
  private failuresInARow = 0;

  constructor(parts: RelayParts, heldBack: HeldBack, suspects: Suspects) {
    this.parts = parts;
    this.heldBack = heldBack;
    this.suspects = suspects;
  }

  async send(waiting: readonly Waiting[]): Promise<SendingResult> {
    // All rows of a transfer go one way, so that their order is kept.
    const alone = new Set(waiting.filter((one) => this.heldBack.isOnProbation(one)).map(({ subject }) => subject));
    const together = byRank(waiting.filter(({ subject }) => !alone.has(subject)), this.suspects);
    for (const whole of bySize(together)) {
      if (this.isOver()) break;
      const part = whole.filter((one) => !this.mustWait(one));
      if (part.length > 0 && !(await this.publish(part))) await this.oneByOne(part);
    }
    const away = this.published === 0 && this.failed.size > 0;
    if (!away) await this.oneByOne(waiting.filter(({ subject }) => alone.has(subject)));
    this.judge(away);
    return { published: this.published, away };
  }

  private judge(away: boolean): void {
    if (this.published > 0 && this.suspects.exist()) {
      // The broker was away: whoever was held meanwhile is tried at once.
      this.heldBack.forgive();
      this.suspects.clear();
    }
    const names = new Set<string>();
    for (const [subject, topic] of this.failed) {
      const isTopicToBlame = away ? this.failuresOf(topic) >= sendingLimits.topicFailuresMax : this.isTopicHopeless(topic);
      if (isTopicToBlame) names.add(topicHold(topic));
      if (away || !isTopicToBlame) names.add(transferHold(subject));
    }
    for (const name of names) (away ? this.suspects : this.heldBack).add(name);
  }

  private failuresOf(topic: string): number {
    return [...this.failed.values()].filter((other) => other === topic).length;
  }

  private isOver(): boolean {
    return this.failuresInARow >= sendingLimits.failuresInARowMax || !this.parts.leadership.isLeader();
  }

  private async oneByOne(waiting: readonly Waiting[]): Promise<void> {
    for (const one of takingTurns(byRank(waiting, this.suspects))) {
      if (this.isOver()) return;
      if (this.mustWait(one)) continue;
      if (await this.publish([one])) {
        this.heldBack.release(one);
        this.failuresInARow = 0;
      } else {
        this.failed.set(one.subject, one.topic);
        this.failuresInARow += 1;
      }
    }
  }

  /** Its transfer has failed in this round, or its topic takes nothing; then what comes behind it waits as well. */
  private mustWait(one: Waiting): boolean {
    if (!this.failed.has(one.subject) && !this.isTopicHopeless(one.topic)) return false;
    if (!this.failed.has(one.subject)) this.failed.set(one.subject, one.topic);
    return true;
  }

  /** Others could leave, of this topic none. */
  private isTopicHopeless(topic: string): boolean {
    if (this.published === 0 || this.leftByTopic.has(topic)) return false;
    return this.failuresOf(topic) >= sendingLimits.topicFailuresMax;
  }

  private async publish(part: readonly Waiting[]): Promise<boolean> {
    const { transport, unitOfWork, observe } = this.parts;
    const started = performance.now();
    const records = part.map(({ record }) => record);
    try {
      await transport.publish(records);
    } catch (error) {
      observe({ kind: 'failed', error, records: records.length });
      return false;
    }
    observe({ kind: 'published', records, seconds: (performance.now() - started) / 1000 });
    for (const { topic } of records) this.leftByTopic.set(topic, (this.leftByTopic.get(topic) ?? 0) + 1);
    this.published += part.length;
    const keys: Key[] = part.map(({ pointer }) => [pointer.position]);
    await unitOfWork.run((transaction) => transaction.remove(outboxTable, keys));
    return true;
  }
}

function bySize(waiting: readonly Waiting[]): readonly Waiting[][] {
  const parts: Waiting[][] = [];
  let sum = Number.POSITIVE_INFINITY;
  for (const one of waiting) {
    if (sum + one.bytes > sendingLimits.bytesMax) {
      parts.push([]);
      sum = 0;
    }
    parts.at(-1)!.push(one);
    sum += one.bytes;
  }
  return parts;
}

/** The rows of one transfer keep their order: what is held against any of them counts for all. */
function byRank(waiting: readonly Waiting[], suspects: Suspects): readonly Waiting[] {
  const ranks = new Map<string, number>();
  for (const one of waiting) ranks.set(one.subject, Math.max(ranks.get(one.subject) ?? 0, suspects.rank(one)));
  return waiting.toSorted((a, b) => ranks.get(a.subject)! - ranks.get(b.subject)!);
}

/** One of each topic in turn; all rows of a transfer take the turns of its first one. */
function takingTurns(waiting: readonly Waiting[]): readonly Waiting[] {
  const laneOf = new Map<string, string>();
  const lanes = new Map<string, Waiting[]>();
  for (const one of waiting) {
    const lane = laneOf.get(one.subject) ?? one.topic;
    laneOf.set(one.subject, lane);
    const own = lanes.get(lane) ?? [];
    lanes.set(lane, own);
    own.push(one);
  }
  const longest = Math.max(0, ...[...lanes.values()].map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => [...lanes.values()].flatMap((lane) => lane.slice(at, at + 1))).flat();
}
