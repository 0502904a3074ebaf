// One process that is started again whenever it dies, until it is told to stop.
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { CodedError } from '@compasso/kernel';
import type { ChildExit, RunningChild } from '../../infra/child.ts';
import type { Log } from '../../infra/log.ts';
import { until } from '../../infra/until.ts';
import type { ProcessName } from './names.ts';
import type { Death, ProcessReport } from './run-state.ts';

export type ProcessPlan = {
  readonly name: ProcessName;
  readonly replica: number;
  readonly address?: string;
  readonly managementAddress?: string;
  readonly logFile: string;
  /**
   * How often it may fail before it has ever been ready: after that it is not worth trying again.
   */
  readonly failuresBeforeReadyMax: number;
  start(signal: AbortSignal): Promise<RunningChild>;
  isReady(): Promise<boolean>;
};

const backoffMs = { first: 200, max: 5_000 };
/** A process that lived this long is not in a crash loop. */
const settledAfterMs = 20_000;
const readinessPollMs = 100;
const deathsKeptMax = 200;
const noLimitMs = Number.POSITIVE_INFINITY;

export class SupervisedProcess {
  readonly plan: ProcessPlan;
  readonly #log: Log;
  readonly #events = new EventEmitter();
  readonly #stopping = new AbortController();
  #current: RunningChild | undefined;
  #readyPid: number | undefined;
  #hasBeenReady = false;
  #life: Promise<void> | undefined;
  #failure: Error | undefined;
  readonly #deaths: Death[] = [];

  constructor(plan: ProcessPlan, log: Log) {
    this.plan = plan;
    this.#log = log;
    this.#events.setMaxListeners(0);
  }

  start(): void {
    this.#life ??= this.#live();
  }

  onChange(listener: () => void): void {
    this.#events.on('changed', listener);
  }

  report(): ProcessReport {
    const { name, replica, address, managementAddress } = this.plan;
    return {
      name,
      replica,
      pid: this.#current?.pid ?? null,
      ready: this.#readyPid !== undefined,
      ...(address === undefined ? {} : { address }),
      ...(managementAddress === undefined ? {} : { managementAddress }),
    };
  }

  deaths(): readonly Death[] {
    return this.#deaths;
  }

  /** @returns the pid of the process that is ready now, once it is another than `except`. */
  async ready({ except, withinMs }: { except?: number; withinMs: number }): Promise<number> {
    const limit = AbortSignal.timeout(withinMs);
    try {
      for (;;) {
        const pid = await this.#onceReady(except, limit);
        // It may have lost what it needs since it was ready first: a broker that was killed, say.
        const waiting = { what: this.#title(), withinMs, everyMs: readinessPollMs, signal: limit };
        await until(async () => this.#readyPid !== pid || (await this.plan.isReady()), waiting);
        if (this.#readyPid === pid) return pid;
      }
    } catch (cause) {
      if (!limit.aborted) throw cause;
      throw new CodedError(
        'not_ready',
        `${this.#title()} is not ready after ${withinMs} ms, see ${this.plan.logFile}`,
        {},
        { cause },
      );
    }
  }

  /** @returns the pid that got the signal. */
  kill(signal: NodeJS.Signals): number {
    const current = this.#current;
    if (current === undefined)
      throw new CodedError('not_running', `${this.#title()} is not running now`);
    current.kill(signal);
    return current.pid;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#current?.stop();
    await this.#life;
  }

  async #onceReady(except: number | undefined, limit: AbortSignal): Promise<number> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#readyPid !== undefined && this.#readyPid !== except) return this.#readyPid;
      await once(this.#events, 'changed', { signal: limit });
    }
  }

  async #live(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      const since = performance.now();
      const end = await this.#liveOnce();
      if (signal.aborted) return;
      failures = performance.now() - since > settledAfterMs ? 1 : failures + 1;
      if (!this.#hasBeenReady && failures >= this.plan.failuresBeforeReadyMax)
        return this.#giveUp(end);
      this.#log(`${end.message}; starting it again`);
      await pause(backoffOf(failures), undefined, { signal }).catch(() => undefined);
    }
  }

  async #liveOnce(): Promise<Error> {
    const gone = new AbortController();
    try {
      const started = await this.plan.start(this.#stopping.signal);
      this.#current = started;
      this.#changed();
      if (this.#stopping.signal.aborted) void started.stop();
      void this.#watchReadiness(started, gone.signal);
      const exit = await started.exited;
      if (!this.#stopping.signal.aborted) this.#recordDeath(started.pid);
      return this.#ended(started.pid, exit);
    } catch (error) {
      return error instanceof Error ? error : new CodedError('not_started', String(error));
    } finally {
      gone.abort();
      this.#current = undefined;
      this.#readyPid = undefined;
      this.#changed();
    }
  }

  async #watchReadiness(started: RunningChild, gone: AbortSignal): Promise<void> {
    const waiting = {
      what: this.#title(),
      withinMs: noLimitMs,
      everyMs: readinessPollMs,
      signal: gone,
    };
    const isReady = await until(() => this.plan.isReady(), waiting).catch(() => false);
    if (!isReady || gone.aborted) return;
    this.#readyPid = started.pid;
    if (this.#hasBeenReady) this.#log(`${this.#title()} (pid ${started.pid}) is ready again`);
    this.#hasBeenReady = true;
    this.#changed();
  }

  #recordDeath(pid: number): void {
    const { name, replica } = this.plan;
    this.#deaths.push({ name, replica, pid, at: Date.now() });
    if (this.#deaths.length > deathsKeptMax) this.#deaths.shift();
  }

  #giveUp(end: Error): void {
    const code = end instanceof CodedError ? end.code : 'not_started';
    const tries = this.plan.failuresBeforeReadyMax;
    this.#failure =
      tries === 1
        ? end
        : new CodedError(
            code,
            `${end.message} (${tries} times), see ${this.plan.logFile}`,
            {},
            { cause: end },
          );
    this.#changed();
  }

  #ended(pid: number, { code, signal }: ChildExit): Error {
    const how = signal === null ? `exited with ${code}` : `was ended by ${signal}`;
    return new CodedError('process_exited', `${this.#title()} (pid ${pid}) ${how}`, {
      pid,
      code,
      signal,
    });
  }

  #title(): string {
    return `${this.plan.name} ${this.plan.replica}`;
  }

  #changed(): void {
    this.#events.emit('changed');
  }
}

function backoffOf(failures: number): number {
  const full = Math.min(backoffMs.max, backoffMs.first * 2 ** (failures - 1));
  // Full jitter would let a crash loop spin; half of it is enough to keep replicas from returning
  // in step.
  return full * (0.5 + Math.random() / 2);
}
