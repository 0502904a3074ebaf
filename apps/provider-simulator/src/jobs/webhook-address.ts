// Posts to one address over connections that stay open. undici's `dispatch` is used directly: of the
// answer only the status counts, and a stream and its promises for each would cost more than the
// call.
import { type Dispatcher, Pool } from 'undici';
import { deliveryLimits } from '../domain/delivery.ts';

/** A receiver that keeps a delivery before it answers, and keeps many together, answers each of them late. */
export const webhookConnectionsMax = 128;

export class WebhookAddress {
  readonly #path: string;
  readonly #pool: Pool;

  constructor(url: string) {
    const { origin, pathname, search } = new URL(url);
    this.#path = `${pathname}${search}`;
    this.#pool = new Pool(origin, {
      connections: webhookConnectionsMax,
      pipelining: 1,
      connect: { timeout: deliveryLimits.timeoutMs },
      headersTimeout: deliveryLimits.timeoutMs,
      bodyTimeout: deliveryLimits.timeoutMs,
    });
  }

  /** @returns the status of the answer; rejects when none came. */
  post(body: string, headers: Readonly<Record<string, string>>): Promise<number> {
    return new Promise((resolve, reject) => {
      const path = this.#path;
      this.#pool.dispatch({ path, method: 'POST', headers, body }, statusOnly(resolve, reject));
    });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

function statusOnly(
  resolve: (status: number) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  let status = 0;
  return {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, received) => void (status = received),
    onResponseData: () => undefined,
    onResponseEnd: () => resolve(status),
    onResponseError: (_controller, error) => reject(error),
  };
}
