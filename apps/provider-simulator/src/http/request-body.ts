// Bodies as the bytes that came: their digest is kept, and what they say is judged by the routes.
import type { IncomingMessage } from 'node:http';

export type ReceivedBody = Buffer | 'too_large' | 'cut_off';

/** Reads to the end, or as far as it may. */
export function bodyOf(request: IncomingMessage, bytesMax: number): Promise<ReceivedBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) resolve('too_large');
      else chunks.push(chunk);
    });
    request.once('end', () => resolve(Buffer.concat(chunks, bytes)));
    request.once('close', () => resolve('cut_off'));
  });
}

/** Nothing, when it is not JSON: one more way of not being what a route expects. */
export function jsonOf(bytes: Buffer | undefined): unknown {
  if (!bytes) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
