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
  private waitingFor = 'joining';
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
    const generation = this.generation;
    // Joining proves Kafka alone: the seats prove that the database answered as well.
    const reads = generation?.isSeated() === true;
    const seen = {
      lag: reads ? generation.lag() : 0n,
      partitions: reads ? generation.assigned().length : 0,
      silenceMs: generation?.silenceMs() ?? 0,
    };
    if (this.lost !== undefined) return { ok: false, detail: this.lost.code, ...seen };
    if (!reads) return { ok: false, detail: this.waitingFor, ...seen };
    const ok = seen.silenceMs < kafkaLimits.sessionTimeoutMs / 2;
    return { ok, detail: `${seen.partitions} partitions, heard ${Math.round(seen.silenceMs)} ms ago`, ...seen };
  }

  private async run(): Promise<void> {
    let fruitless = 0;
    while (!this.stopped) {
      const generation = new ConsumerGeneration(this.options, this.subscriber);
      this.generation = generation;
      generation.start();
      const end = await generation.ended;
      if (this.stopped) return;
      this.generation = undefined;
      this.report(end);
      await generation.discard();
      if (this.endsForGood(end)) return;
      fruitless = end.gotSomewhere ? 0 : fruitless + 1;
      await this.pauseBefore(fruitless);
    }
  }

  private report({ cause, error }: GenerationEnd): void {
    const { topic, group } = this.subscriber;
    generations.add(1, { topic, cause });
    this.waitingFor = isDatabaseAway(error) ? 'the database is away' : 'joining';
    this.logger.warn({ topic, group, cause, error: factsOf(error) }, 'a consumer generation ended; a new one follows');
  }

  private endsForGood({ error, gotSomewhere }: GenerationEnd): boolean {
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
    // While the database or the brokers are away, a new process would do no better: we wait, for ever if need be.
    if (!gotSomewhere || isDatabaseAway(error)) return false;
    const now = performance.now();
    this.losses.push(now);
    while (this.losses[0]! < now - kafkaLimits.generationsWindowMs) this.losses.shift();
    if (this.losses.length < kafkaLimits.generationsMax) return false;
    this.onFatal(new CodedError('generations_exhausted', 'Consumer generations end too often.', { topic: this.subscriber.topic }));
    return true;
  }

  private async pauseBefore(fruitless: number): Promise<void> {
    const base = Math.min(kafkaLimits.generationPauseMsMax, kafkaLimits.generationPauseMs * 2 ** Math.min(fruitless, 8));
    await pause(base + Math.random() * base, undefined, { signal: this.wakeUp.signal }).catch(() => undefined);
  }
}

const isDatabaseAway = (error: unknown): boolean =>
  error instanceof CodedError && error.code === 'temporarily_unavailable';

const factsOf = (error: unknown): object =>
  error instanceof CodedError
    ? { code: error.code, ...error.facts, cause: nameOf(error.cause) }
    : { name: nameOf(error), message: error instanceof Error ? error.message : undefined };

const nameOf = (error: unknown): string | undefined => (error instanceof Error ? `${error.name}: ${error.message}` : undefined);
