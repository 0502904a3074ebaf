// The real provider simulator as a process of its own, with a store and keys of its own. Faults are those of
// docs/provider-reference-wire-format.md. Imported by specs only.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CodedError } from '@compasso/kernel';
import { ReferenceProvider } from './provider/reference-provider.ts';

const main = new URL('../../provider-simulator/src/main.ts', import.meta.url).pathname;

export const apiKey = 'an-api-key-of-the-specs';
export const webhookSecret = 'a-webhook-secret-of-the-specs';

export interface SeenCall {
  readonly method: string;
  readonly bodyDigest: string | null;
  readonly answer: string;
}

export interface Simulator {
  readonly url: string;
  /** From now on, for this payout. */
  befall(payoutId: string, fault: string): Promise<void>;
  end(payoutId: string, ending: object): Promise<void>;
  orderCount(payoutId: string): Promise<number>;
  callsOf(payoutId: string): Promise<readonly SeenCall[]>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export async function startSimulator(options: {
  readonly webhookUrl?: string;
  readonly timeScale?: number;
}): Promise<Simulator> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-provider-'));
  const file = (name: string, content: string): string => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  const child = spawn(process.execPath, ['--conditions=@compasso/source', main], {
    env: {
      HTTP_PORT: '0',
      MANAGEMENT_PORT: '0',
      LOG_LEVEL: 'info',
      SIMULATOR_STORE_FILE: join(directory, 'store.sqlite'),
      PROVIDER_API_KEY_FILE: file('api.key', apiKey),
      PROVIDER_WEBHOOK_SECRET_FILE: file('webhook.secret', webhookSecret),
      WEBHOOK_URLS: options.webhookUrl ?? 'http://127.0.0.1:9/',
      TIME_SCALE: String(options.timeScale ?? 0.02),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const url = await urlOf(child.stdout, child.stderr, ended);
  return {
    ...backstageOf(url),
    url,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function urlOf(
  output: NodeJS.ReadableStream,
  errors: NodeJS.ReadableStream,
  ended: Promise<unknown>,
): Promise<string> {
  let said = '';
  errors.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve, reject) => {
    void ended.then(() => reject(new CodedError('simulator_ended', `The simulator ended: ${said}`, {})));
    createInterface({ input: output }).on('line', (line) => {
      said += `${line}\n`;
      const { management, url } = JSON.parse(line) as { management?: string; url?: string };
      if (management !== undefined && url !== undefined) resolve(url);
    });
  });
}

function backstageOf(url: string): Omit<Simulator, 'url' | 'stop'> {
  const rules: { fault: string; payoutIds: string[] }[] = [];
  const admin = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${url}/admin${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok)
      throw new CodedError('backstage_refused', `The simulator refused ${path}.`, { status: answer.status });
    return (answer.status === 204 ? {} : await answer.json()) as Record<string, unknown>;
  };
  return {
    async befall(payoutId, fault) {
      rules.push({ fault, payoutIds: [payoutId] });
      await admin('PUT', '/faults', { faults: rules });
    },
    async end(payoutId, ending) {
      await admin('PUT', `/orders/${payoutId}/ending`, ending);
    },
    async orderCount(payoutId) {
      const { items } = await admin('GET', `/orders?payoutId=${payoutId}`);
      return (items as unknown[]).length;
    },
    async callsOf(payoutId) {
      const { items } = await admin('GET', `/calls?payoutId=${payoutId}`);
      return items as SeenCall[];
    },
  };
}

export const referenceProvider = (url: string, key: string = apiKey): ReferenceProvider =>
  new ReferenceProvider({
    url,
    apiKey: () => key,
    notFoundGraceMs: 500,
    connectTimeoutMs: 1_000,
    connectionsMax: 32,
  });
