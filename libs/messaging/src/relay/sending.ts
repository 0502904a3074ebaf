// One round of sends: all together while that works; one by one, taking turns between topics, to find what does not.
import type { Key } from '../ports/table.ts';
import { outboxTable } from '../shell/tables.ts';
import { type HeldBack, topicHold, transferHold } from './held-back.ts';
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
  /** Transfers that were tried since anything last left: the others come first, so that bad ones never hide good ones. */
  private readonly tried: Set<string>;
  private readonly failed = new Map<string, string>();
  private readonly leftByTopic = new Map<string, number>();
  private published = 0;
  private failuresInARow = 0;

  constructor(parts: RelayParts, heldBack: HeldBack, tried: Set<string>) {
    this.parts = parts;
    this.heldBack = heldBack;
    this.tried = tried;
  }

  async send(waiting: readonly Waiting[]): Promise<SendingResult> {
    // All rows of a transfer go one way, so that their order is kept.
    const alone = new Set(waiting.filter((one) => this.heldBack.isOnProbation(one)).map(({ subject }) => subject));
    for (const part of bySize(waiting.filter(({ subject }) => !alone.has(subject)))) {
      if (this.isOver()) break;
      if (!(await this.publish(part))) await this.oneByOne(part);
    }
    const away = this.published === 0 && this.failed.size > 0;
    if (!away) await this.oneByOne(waiting.filter(({ subject }) => alone.has(subject)));
    if (this.published > 0) this.tried.clear();
    for (const [subject, topic] of this.failed) {
      if (away) this.tried.add(subject);
      else this.heldBack.add(this.isTopicHopeless(topic) ? topicHold(topic) : transferHold(subject));
    }
    return { published: this.published, away };
  }

  private isOver(): boolean {
    return this.failuresInARow >= sendingLimits.failuresInARowMax || !this.parts.leadership.isLeader();
  }

  private async oneByOne(waiting: readonly Waiting[]): Promise<void> {
    for (const one of takingTurns(waiting, this.tried)) {
      if (this.isOver()) return;
      if (this.failed.has(one.subject) || this.isTopicHopeless(one.topic)) {
        if (!this.failed.has(one.subject)) this.failed.set(one.subject, one.topic);
        continue;
      }
      if (await this.publish([one])) {
        this.heldBack.release(one);
        this.failuresInARow = 0;
      } else {
        this.failed.set(one.subject, one.topic);
        this.failuresInARow += 1;
      }
    }
  }

  /** Others could leave, of this topic none. */
  private isTopicHopeless(topic: string): boolean {
    if (this.published === 0 || this.leftByTopic.has(topic)) return false;
    const failures = [...this.failed.values()].filter((other) => other === topic).length;
    return failures >= sendingLimits.topicFailuresMax;
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

/** One of each topic in turn, untried transfers first; the rows of one transfer keep their order. */
function takingTurns(waiting: readonly Waiting[], tried: ReadonlySet<string>): readonly Waiting[] {
  const laneOf = new Map<string, string>();
  const lanes = new Map<string, Waiting[]>();
  const isTried = (one: Waiting): boolean => tried.has(one.subject);
  for (const one of [...waiting.filter((each) => !isTried(each)), ...waiting.filter(isTried)]) {
    const lane = laneOf.get(one.subject) ?? one.topic;
    laneOf.set(one.subject, lane);
    lanes.set(lane, [...(lanes.get(lane) ?? []), one]);
  }
  const longest = Math.max(0, ...[...lanes.values()].map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => [...lanes.values()].flatMap((lane) => lane.slice(at, at + 1))).flat();
}
