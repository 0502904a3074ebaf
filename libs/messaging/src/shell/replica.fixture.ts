// One process of the tally service on real parts, and the load that it is put under. Imported by specs only.
import { payoutEvents } from '@compasso/contracts';
import { createLogger } from '@compasso/observability';
import { uuidv7 } from 'uuidv7';
import { KafkaTransport } from '../kafka/kafka-transport.ts';
import { alwaysLeader } from '../ports/leadership.ts';
import type { Subscription } from '../ports/transport.ts';
import type { UnitOfWork } from '../ports/unit-of-work.ts';
import { type RelayLoop, startRelayLoop } from '../relay/relay-loop.ts';
import { pauseBeforeRetry } from './retry-pause.ts';
import { composeShell, groupOf, type ServiceShell } from './service-shell.ts';
import { aLetter, confirmation, type Letter, newSwitches, tallyDefinition } from './tally.fixture.ts';

export const quietLogger = createLogger({ service: 'tests', replica: '1', level: 'silent' });
export const payoutGroup = groupOf('ledger', payoutEvents.name);

export interface ReplicaPlace {
  readonly brokers: readonly string[];
  readonly topicPrefix: string;
  readonly unitOfWork: UnitOfWork;
}

export interface Replica {
  readonly shell: ServiceShell;
  readonly transport: KafkaTransport;
  readonly subscriptions: readonly Subscription[];
  readonly relay: RelayLoop;
  /** Why the process would have ended. */
  readonly fatal: readonly unknown[];
  /** Causes of the consumer generations that were lost. */
  readonly lostGenerations: readonly string[];
  stop(): Promise<void>;
}

export async function startReplica({ brokers, topicPrefix, unitOfWork }: ReplicaPlace): Promise<Replica> {
  const fatal: unknown[] = [];
  const lostGenerations: string[] = [];
  const destination = {
    write(line: string) {
      const { message, cause, topic } = JSON.parse(line) as { message: string; cause?: string; topic?: string };
      if (message.startsWith('a consumer generation ended')) lostGenerations.push(`${topic}: ${cause}`);
    },
  };
  const logger = createLogger({ service: 'tests', replica: '1', level: 'warn', destination });
  const options = { brokers, clientId: `replica-${uuidv7()}`, topicPrefix, logger };
  const transport = new KafkaTransport(options, (error) => void fatal.push(error));
  const running: { relay?: RelayLoop } = {};
  const shell = composeShell(tallyDefinition(newSwitches()), {
    unitOfWork,
    transport,
    leadership: alwaysLeader,
    newId: uuidv7,
    pauseBeforeRetry,
    observe: () => undefined,
    wake: () => running.relay?.wake(),
  });
  const subscriptions = await shell.subscribeAll();
  const relay = startRelayLoop(shell.relay, quietLogger);
  running.relay = relay;
  return {
    shell,
    transport,
    subscriptions,
    relay,
    fatal,
    lostGenerations,
    async stop() {
      await Promise.all(subscriptions.map((subscription) => subscription.stop()));
      await relay.stop();
      await transport.close();
    },
  };
}

/** Publishes confirmations as fast as they are acknowledged; what is not acknowledged is published again. */
export class Load {
  readonly acknowledged: Letter[] = [];
  private readonly transport: KafkaTransport;
  private readonly accounts = Array.from({ length: 24 }, () => uuidv7());
  private running = true;
  private abandoned = false;
  private readonly life: Promise<void>;

  constructor(brokers: readonly string[], topicPrefix: string, perRound: number) {
    this.transport = new KafkaTransport(
      { brokers, clientId: 'load', topicPrefix, logger: quietLogger },
      () => undefined,
    );
    this.life = this.live(perRound);
  }

  /** Returns once the last round is acknowledged. */
  async stop(): Promise<void> {
    this.running = false;
    await this.life;
    await this.transport.close();
  }

  /** Ends at once, whatever is not acknowledged yet: Kafka may be away for good. */
  async abandon(): Promise<void> {
    this.running = false;
    this.abandoned = true;
    await this.transport.close();
    await this.life;
  }

  private async live(perRound: number): Promise<void> {
    for (let round = 0; this.running; round += 1) {
      const letters = Array.from({ length: perRound }, (_, n) =>
        aLetter({ id: uuidv7(), accountId: this.accounts[(round + n) % this.accounts.length]! }),
      );
      const records = letters.map((letter) => confirmation(letter));
      while (!this.abandoned && !(await this.transport.publish(records).then(() => true, () => false)));
      this.acknowledged.push(...letters);
    }
  }
}
