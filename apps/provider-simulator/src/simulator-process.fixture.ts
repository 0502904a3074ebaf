// The real process for the specs: started from the sources, with a folder of its own, on ports that
// are free; and an address that takes its webhooks.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const apiKey = 'an-api-key-of-the-specs';
export const webhookSecret = 'a-webhook-secret-of-the-specs';

const main = new URL('main.ts', import.meta.url).pathname;

export interface Folder {
  readonly environment: Readonly<Record<string, string>>;
  remove(): void;
}

export interface RunningProcess {
  readonly url: string;
  readonly managementUrl: string;
  /** Ends when the process has ended. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

export interface Webhook {
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly Webhook[];
  of(payoutId: string): readonly Webhook[];
  /** Answers with this status from now on. */
  answerWith(status: number): void;
  stop(): Promise<void>;
}

export function makeFolder(webhookUrls: readonly string[], timeScale = '0.1'): Folder {
  const path = mkdtempSync(join(tmpdir(), 'provider-simulator-'));
  const file = (name: string) => join(path, name);
  writeFileSync(file('api.key'), `${apiKey}\n`);
  writeFileSync(file('webhook.secret'), webhookSecret);
  return {
    environment: {
      HTTP_PORT: '0',
      MANAGEMENT_PORT: '0',
      SIMULATOR_STORE_FILE: file('store.sqlite'),
      PROVIDER_API_KEY_FILE: file('api.key'),
      PROVIDER_WEBHOOK_SECRET_FILE: file('webhook.secret'),
      WEBHOOK_URLS: webhookUrls.join(','),
      TIME_SCALE: timeScale,
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

export function spawnSimulator(environment: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, ['--conditions=@compasso/source', main], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Rejects with what the process said, when it ends before it listens. */
export async function startSimulator(folder: Folder): Promise<RunningProcess> {
  const child = spawnSimulator(folder.environment);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exit = once(child, 'exit');
  const { url, management } = await new Promise<Record<string, unknown>>((resolve, reject) => {
    void exit.then(() => reject(new TypeError(`the simulator ended: ${said}`)));
    createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => {
      said += `${line}\n`;
      const fields = JSON.parse(line) as Record<string, unknown>;
      if (fields['management']) resolve(fields);
    });
  });
  return {
    url: String(url),
    managementUrl: String(management),
    async kill(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exit;
      return child.exitCode;
    },
  };
}

export async function receiveWebhooks(): Promise<WebhookReceiver> {
  const received: Webhook[] = [];
  let status = 200;
  const server: Server = createServer((request, response) => {
    let raw = '';
    request.on('data', (chunk: Buffer) => (raw += chunk.toString()));
    request.on('end', () => {
      received.push({ headers: request.headers, raw, body: JSON.parse(raw) as Webhook['body'] });
      response.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    received,
    of: (payoutId) => received.filter(({ body }) => body['payoutId'] === payoutId),
    answerWith: (next) => (status = next),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export interface ProviderAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; `undefined` when it is none. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly body?: string | object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Calls with the right key, unless `headers` say otherwise. */
export async function call(
  { url }: Pick<RunningProcess, 'url'>,
  route: string,
  { body, headers, signal }: CallOptions = {},
): Promise<ProviderAnswer> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: readJson(text) };
}

export const newPayoutId = (): string => randomUUID();

export const payout = (amountCents = 15_000) => ({
  amountCents,
  payee: { keyType: 'CPF', key: '52998224725' },
});

function readJson(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    // A test that expects JSON fails on what it looks for.
    return {};
  }
}
