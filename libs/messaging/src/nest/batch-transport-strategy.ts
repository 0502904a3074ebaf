// Kafka for Nest: a custom transport over batches. The built-in one handles message by message, commits by itself and swallows
// errors (field failures B-01 to B-12); here a handler gets all that a poll gave and its rejection reaches the consumer.
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { CodedError } from '@compasso/kernel';
import type { RecordBatch, Subscriber, Subscription, SubscriptionHealth, Transport } from '../ports/transport.ts';

export const BATCHES = Symbol('BATCHES');

export class BatchTransportStrategy extends Server implements CustomTransportStrategy {
  override readonly transportId = BATCHES;
  private readonly transport: Transport;
  private readonly subscribers: readonly Subscriber[];
  private subscriptions: readonly Subscription[] = [];

  constructor(transport: Transport, subscribers: readonly Subscriber[]) {
    super();
    this.transport = transport;
    this.subscribers = subscribers;
    for (const subscriber of subscribers) {
      this.addHandler(subscriber.topic, (batches: readonly RecordBatch[], signal: AbortSignal) => subscriber.handle(batches, signal), true);
    }
  }

  override listen(callback: (error?: unknown) => void): void {
    Promise.all(this.subscribers.map((subscriber) => this.transport.subscribe(this.routed(subscriber))))
      .then((subscriptions) => {
        this.subscriptions = subscriptions;
        callback();
      })
      .catch(callback);
  }

  override async close(): Promise<void> {
    await Promise.allSettled(this.subscriptions.map((subscription) => subscription.stop()));
  }

  override on(): never {
    throw new CodedError('not_supported', 'This transport has no events to listen to.', {});
  }

  override unwrap<T>(): T {
    return this.transport as T;
  }

  health(): readonly (SubscriptionHealth & { readonly topic: string })[] {
    return this.subscriptions.map((subscription, at) => ({
      topic: this.subscribers[at]!.topic,
      ...subscription.health(),
    }));
  }

  /** Batches go to whatever handler Nest holds for the topic, so that its hooks and overrides count. */
  private routed(subscriber: Subscriber): Subscriber {
    return {
      group: subscriber.group,
      topic: subscriber.topic,
      position: (partition) => subscriber.position(partition),
      handle: async (batches, signal) => {
        const handler = this.messageHandlers.get(subscriber.topic);
        if (handler === undefined) {
          throw new CodedError('no_handler', 'Nobody handles this topic.', { topic: subscriber.topic });
        }
        await handler(batches, signal);
      },
    };
  }
}
