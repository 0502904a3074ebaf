// Another team's way in: its own producer, on its own requests topic, with nothing but @compasso/contracts and kafkajs.
import { setTimeout as pause } from 'node:timers/promises';
import {
  encodeHeaders,
  partitionOf,
  type PixKey,
  type PublicKeys,
  sealerTo,
  type SealPayee,
  sourceOfTeam,
  transferCancelRequestedV1,
  transferRequestedV1,
  transferRequestsOf,
} from '@compasso/contracts';
import type { Kafka, Message, Producer, RecordMetadata } from 'kafkajs';
import { uuidv7 } from 'uuidv7';

export interface TopicOrder {
  readonly transferId: string;
  readonly accountId: string;
  readonly amountCents: number;
  readonly payee: PixKey;
  readonly clientReference?: string;
}

export interface TeamOptions {
  readonly kafka: Kafka;
  readonly team: string;
  readonly topicPrefix: string;
  readonly gatewayKeys: PublicKeys;
}

const everyReplica = -1;

const limits = { patienceMs: 60_000, pauseMs: 300 } as const;

export class TeamProducer {
  readonly #options: TeamOptions;
  readonly #seal: SealPayee;
  #producer: Promise<Producer> | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: TeamOptions) {
    this.#options = options;
    this.#seal = sealerTo(options.gatewayKeys);
  }

  get topic(): string {
    return transferRequestsOf(this.#options.team).name;
  }

  /** The record of a request, sealed for the gateway: keep it, and a retry has the same bytes. */
  async record(order: TopicOrder): Promise<Message> {
    const data = transferRequestedV1.schema.parse({
      accountId: order.accountId,
      amountCents: order.amountCents,
      payee: this.#seal(order.payee),
      ...(order.clientReference === undefined ? {} : { clientReference: order.clientReference }),
    });
    return this.#message(transferRequestedV1.type, order, data);
  }

  /** The record of a cancellation: under the same key, so it stays in order with the request. */
  cancellation({ transferId, accountId }: Pick<TopicOrder, 'transferId' | 'accountId'>): Message {
    return this.#message(transferCancelRequestedV1.type, { transferId, accountId }, { accountId });
  }

  async request(orders: readonly TopicOrder[]): Promise<void> {
    await this.send(await Promise.all(orders.map((order) => this.record(order))));
  }

  /** Any records, also odd ones, to this team's topic or (as nobody should) to another. Sent again until acknowledged. */
  send(messages: Message[], topic: string = this.topic): Promise<readonly RecordMetadata[]> {
    const sent = this.#queue.then(() => this.#sendUntilAcknowledged(messages, topic));
    this.#queue = sent.catch(() => undefined);
    return sent;
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#discard();
  }

  #message(type: string, { transferId, accountId }: Pick<TopicOrder, 'transferId' | 'accountId'>, data: object): Message {
    return {
      key: accountId,
      headers: encodeHeaders({
        id: uuidv7(),
        source: sourceOfTeam(this.#options.team),
        type,
        subject: transferId,
        time: new Date().toISOString(),
      }),
      value: JSON.stringify(data),
    };
  }

  async #sendUntilAcknowledged(messages: Message[], topic: string): Promise<readonly RecordMetadata[]> {
    const deadline = performance.now() + limits.patienceMs;
    for (;;) {
      try {
        const producer = await (this.#producer ??= this.#connect());
        return await producer.send({ topic: this.#options.topicPrefix + topic, acks: everyReplica, messages });
      } catch (error) {
        // The same bytes again can only be a duplicate, which has the same ce_id.
        await this.#discard();
        if (performance.now() > deadline) throw error;
        await pause(limits.pauseMs);
      }
    }
  }

  async #connect(): Promise<Producer> {
    const producer = this.#options.kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: () => ({ message }) => message.partition ?? partitionOf(String(message.key ?? '')),
    });
    await producer.connect();
    return producer;
  }

  async #discard(): Promise<void> {
    const producer = await this.#producer?.catch(() => undefined);
    this.#producer = undefined;
    await producer?.disconnect().catch(() => undefined);
  }
}
