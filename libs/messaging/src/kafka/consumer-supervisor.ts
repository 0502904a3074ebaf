// Keeps a consumer alive through generations: pauses with jitter, counts, and gives up loudly when losing them becomes a habit.
import { setTimeout as pause } from 'node:timers/promises';
import { CodedError } from '@compasso/kernel';
import { counter, type Logger } from '@compasso/observability';
import type { Subscriber, Subscription, SubscriptionHealth } from '../ports/transport.ts';
import { StopTheProcess } from '../shell/consume.ts';
import { ConsumerGeneration, type GenerationEnd } from './consumer-generation.ts';
import { kafkaLimits, type KafkaOptions } from './kafka-options.ts';

/** The process must end: a bug was met, data is missing, or generations are lost too often. */
export type OnFatal = (error: unknown) => void;

const generations = counter('compasso_consumer_generations_total');
const dataLost = counter('compasso_log_data_lost_total');

export class ConsumerSupervisor implements Subscription {
  private readonly options: KafkaOptions;
  private readonly subscriber: Subscriber;
  private readonly onFatal: OnFatal;
  private readonly logger: Logger;
  private readonly losses: number[] = [];
  private generation: ConsumerGeneration | undefined;
  private stopped = false;
  private lost: CodedError | undefined;
  private readonly wakeUp = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(options: KafkaOptions, subscriber: Subscriber, onFatal: OnFatal) {
    this.options = options;
    this.subscriber = subscriber;
    this.onFatal = onFatal;
    this.logger = options.logger;
  }

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp.abort();
    await this.generation?.stop();
    await this.running;
  }

  health(): SubscriptionHealth {
    if (this.lost !== undefined) return { ok: false, detail: this.lost.code, lag: 0n };
    const generation = this.generation;
    if (generation === undefined || !generation.hasJoined()) return { ok: false, detail: 'joining', lag: 0n };
    const silenceMs = generation.silenceMs();
    const lag = generation.lag();
    const ok = silenceMs < kafkaLimits.sessionTimeoutMs / 2;
    return { ok, detail: `${generation.assigned().length} partitions, heard ${Math.round(silenceMs)} ms ago`, lag };
  }

  private async run(): Promise<void> {
    for (let attempt = 0; !this.stopped; attempt += 1) {
      const generation = new ConsumerGeneration(this.options, this.subscriber);
      this.generation = generation;
      void generation.start();
      const end = await generation.ended;
      if (this.stopped) return;
      generations.add(1, { topic: this.subscriber.topic, cause: end.cause });
      this.logger.warn(
        { topic: this.subscriber.topic, group: this.subscriber.group, cause: end.cause, error: factsOf(end.error) },
        'a consumer generation ended; a new one follows',
      );
      await generation.discard();
      if (this.endsForGood(end)) return;
      attempt = end.joined ? 0 : attempt;
      await this.pauseBefore(attempt);
    }
  }

  private endsForGood({ error, joined }: GenerationEnd): boolean {
    if (error instanceof StopTheProcess) {
      this.onFatal(error);
      return true;
    }
    if (error instanceof CodedError && error.code === 'log_data_lost') {
      // Never skip a hole: not ready until somebody has run `recover`.
      this.lost = error;
      dataLost.add(1, { topic: this.subscriber.topic });
      this.logger.fatal({ code: error.code, ...error.facts }, error.message);
      return true;
    }
    if (!joined) return false;
    const now = performance.now();
    this.losses.push(now);
    while (this.losses[0]! < now - kafkaLimits.generationsWindowMs) this.losses.shift();
    if (this.losses.length < kafkaLimits.generationsMax) return false;
    this.onFatal(new CodedError('generations_exhausted', 'Consumer generations end too often.', { topic: this.subscriber.topic }));
    return true;
  }

  private async pauseBefore(attempt: number): Promise<void> {
    const base = Math.min(5_000, 200 * 2 ** Math.min(attempt, 5));
    await pause(base + Math.random() * base, undefined, { signal: this.wakeUp.signal }).catch(() => undefined);
  }
}

const factsOf = (error: unknown): object =>
  error instanceof CodedError
    ? { code: error.code, ...error.facts, cause: nameOf(error.cause) }
    : { name: nameOf(error), message: error instanceof Error ? error.message : undefined };

const nameOf = (error: unknown): string | undefined => (error instanceof Error ? `${error.name}: ${error.message}` : undefined);
