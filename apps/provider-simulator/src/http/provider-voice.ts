// How an answer becomes bytes, silence, or a broken connection.
import type { ServerResponse } from 'node:http';
import type { Answer } from '../domain/payout.decide.ts';
import type { Page } from './provider-desk.ts';
import type { UnservedSockets } from './unserved-sockets.ts';
import { cursorOnWire, errorOnWire, orderOnWire } from './wire.ts';

const json = 'application/json; charset=utf-8';

export class ProviderVoice {
  readonly #sockets: UnservedSockets;

  constructor(sockets: UnservedSockets) {
    this.#sockets = sockets;
  }

  speak(answer: Answer | Page, response: ServerResponse): void {
    const { socket } = response.req;
    switch (answer.kind) {
      case 'silence':
        return this.#sockets.keepSilent(socket);
      case 'reset':
        return this.#sockets.reset(socket);
      case 'unreadable':
        return send(response, 200, '<html><body>502 Bad Gateway</body></html>', 'text/html');
      case 'refusal':
        return refuse(response, answer);
      case 'page':
        return send(response, 200, JSON.stringify(pageOnWire(answer)));
      case 'order':
        if (answer.afterMs > 0) return void setTimeout(sendOrder, answer.afterMs, response, answer);
        return sendOrder(response, answer);
    }
  }
}

function sendOrder(
  response: ServerResponse,
  { status, order }: Extract<Answer, { kind: 'order' }>,
): void {
  send(response, status, JSON.stringify(orderOnWire(order)));
}

function refuse(
  response: ServerResponse,
  { status, code, retryAfterSeconds }: Extract<Answer, { kind: 'refusal' }>,
): void {
  if (retryAfterSeconds) response.setHeader('retry-after', retryAfterSeconds);
  // Who sends more than may be read is not listened to any further.
  if (status === 413) response.setHeader('connection', 'close');
  send(response, status, JSON.stringify(errorOnWire(code)));
}

const pageOnWire = ({ orders, next }: Page) => ({
  items: orders.map(orderOnWire),
  nextCursor: next ? cursorOnWire(next) : null,
});

function send(response: ServerResponse, status: number, text: string, type = json): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
