// Metrics and probes on a port of their own, so that the public port never shows metrics and probes
// still answer while the public server drains.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceTelemetry } from '../ports.ts';
import { healthAnswer, pathOf } from './health-answer.ts';
import type { ReadinessRegistry } from './readiness.ts';

export interface ManagementServerOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: ReadinessRegistry;
  readonly telemetry: Pick<ServiceTelemetry, 'metricsHandler'>;
}

export interface ManagementServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startManagementServer(
  options: ManagementServerOptions,
): Promise<ManagementServer> {
  const server = createServer({ requestTimeout: 5_000 }, (request, response) => {
    answer(options, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host}:${port}`,
    async stop() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(
  { registry, telemetry }: ManagementServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const path = pathOf(request.url ?? '/');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  if (path === '/metrics') {
    telemetry.metricsHandler(request, response);
    return;
  }
  const health = healthAnswer(path, registry);
  if (!health) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(health.status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  });
  response.end(health.body);
}
