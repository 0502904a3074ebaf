// A team that has no trace of its own gets one. Its ids come from the request's name, so that everybody who reads the
// request finds the same trace; the root is recorded where the request is decided.
import { createHash } from 'node:crypto';
import type { Decoded, Envelope } from '@compasso/contracts';

/** Requests that came without a trace leave here with one; everything else as it came. */
export function withTrace(decoded: Decoded): Decoded {
  if (decoded.kind !== 'event' && decoded.kind !== 'invalid-data') return decoded;
  const { envelope, contract } = decoded;
  if (contract.publisher !== 'requester' || envelope.traceparent !== undefined) return decoded;
  return { ...decoded, envelope: { ...envelope, traceparent: derivedTraceparent(envelope) } };
}

/** Whether the trace begins with the message itself: its traceparent names the span that handles it. */
export const isTraceOfItsOwn = (envelope: Envelope): boolean =>
  envelope.traceparent === derivedTraceparent(envelope);

function derivedTraceparent({ source, id }: Envelope): string {
  const digest = createHash('sha256').update(`${source} ${id}`).digest('hex');
  return `00-${digest.slice(0, 32)}-${digest.slice(32, 48)}-01`;
}
