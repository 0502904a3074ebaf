// Connections on which nothing will be said. They are kept so that a stop can end them, and not for
// ever: a caller that never gives up would otherwise fill the process.
import type { Socket } from 'node:net';

export const silenceMsMax = 600_000;

export class UnservedSockets {
  readonly #silent = new Set<Socket>();

  keepSilent(socket: Socket): void {
    this.#silent.add(socket);
    const tooLong = setTimeout(() => socket.destroy(), silenceMsMax).unref();
    socket.once('close', () => {
      clearTimeout(tooLong);
      this.#silent.delete(socket);
    });
  }

  reset(socket: Socket): void {
    socket.resetAndDestroy();
  }

  destroyAll(): void {
    for (const socket of this.#silent) socket.destroy();
  }
}
