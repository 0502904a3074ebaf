// Ends a server's intake. Node alone would wait for connections that have never sent a request: to
// it they are not idle, and load balancers keep such ones open.
import type { Server, ServerResponse } from 'node:http';

export interface Draining {
  /** Takes nothing new, and resolves once every request under way is answered. */
  drain(): Promise<void>;
  /** Ends every connection now. */
  cut(): void;
}

/** Must be called before the server listens: it counts the requests under way. */
export function drainingOf(server: Server): Draining {
  let underWay = 0;
  let draining = false;
  const cutWhenAnswered = (): void => {
    if (draining && underWay === 0) server.closeAllConnections();
  };
  server.on('request', (_request, response: ServerResponse) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
      cutWhenAnswered();
    });
  });
  return {
    drain: () =>
      new Promise((resolve) => {
        draining = true;
        server.close(() => resolve());
        cutWhenAnswered();
      }),
    cut: () => server.closeAllConnections(),
  };
}
