// Hands exports on to the collector of the person who runs the system, exactly as they came. Whoever exports does not
// wait for it, and a collector that is slow or away costs nobody anything but its own spans.
import type { IncomingHttpHeaders } from 'node:http';

export interface Forwarder {
  pass(body: Buffer, headers: IncomingHttpHeaders): void;
  /** Exports that the collector did not take. */
  failed(): number;
  /** Resolves when nothing is on its way any more. */
  settled(): Promise<void>;
}

const limits = { answerWithinMs: 5_000, waitingMax: 256 } as const;
/** Of the connection, not of the export. */
const ownToAConnection = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);

export function forwarderTo(endpoint: string): Forwarder {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const waiting = new Set<Promise<void>>();
  let failed = 0;
  const send = async (body: Buffer, headers: IncomingHttpHeaders): Promise<void> => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: headersOf(headers),
        body: new Uint8Array(body),
        signal: AbortSignal.timeout(limits.answerWithinMs),
      });
      await answer.body?.cancel();
      if (!answer.ok) failed += 1;
    } catch {
      failed += 1;
    }
  };
  return {
    pass(body, headers) {
      if (waiting.size >= limits.waitingMax) {
        failed += 1;
        return;
      }
      const sending: Promise<void> = send(body, headers).finally(() => waiting.delete(sending));
      waiting.add(sending);
    },
    failed: () => failed,
    settled: async () => void (await Promise.all(waiting)),
  };
}

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => !ownToAConnection.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
