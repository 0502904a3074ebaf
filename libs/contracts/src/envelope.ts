// CloudEvents 1.0 in Kafka binary mode: the value is the data alone, every attribute is a header.
import { isUuid, isWireInstant } from '@compasso/kernel';

export interface Envelope {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  /** RFC 3339. Information only: no decision rests on a sender's clock. */
  readonly time: string;
  readonly causationId?: string | undefined;
  /** 1, 2, 3… per source and subject; requesters need none. */
  readonly sequence?: number | undefined;
  /** W3C trace context of the span that created the event; an odd one is dropped, never an error. */
  readonly traceparent?: string | undefined;
}

export type HeaderValue = string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
export type Headers = Readonly<Record<string, HeaderValue>>;

export interface UnreadableEnvelope {
  readonly code: 'envelope_header_missing' | 'envelope_header_malformed';
  readonly header: string;
  /** What could still be read: enough to hold back the followers of the same transfer. */
  readonly subject?: string | undefined;
}

const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export const isTraceparent = (text: string | undefined): text is string =>
  text !== undefined && traceparentPattern.test(text);

export function encodeHeaders(envelope: Envelope): Record<string, string> {
  const headers: Record<string, string> = {
    ce_id: envelope.id,
    ce_source: envelope.source,
    ce_specversion: '1.0',
    ce_subject: envelope.subject,
    ce_time: envelope.time,
    ce_type: envelope.type,
    'content-type': 'application/json',
  };
  if (envelope.causationId !== undefined) headers['ce_causationid'] = envelope.causationId;
  if (envelope.sequence !== undefined) headers['ce_sequence'] = String(envelope.sequence);
  if (envelope.traceparent !== undefined) headers['traceparent'] = envelope.traceparent;
  return headers;
}

const decoder = new TextDecoder();

/** kafkajs hands over a Buffer, or an array of them when a header is repeated: the first one counts. */
export function headerText(headers: Headers, name: string): string | undefined {
  const raw = headers[name];
  const first = Array.isArray(raw) ? raw[0] : raw;
  if (first === undefined || first === null) return undefined;
  return typeof first === 'string' ? first : decoder.decode(first as Uint8Array);
}

interface Attribute {
  readonly header: string;
  readonly required: boolean;
  readonly isValid: (text: string) => boolean;
}

/** CloudEvents forbids control characters and lone surrogates in attributes, and a database cannot keep them all. */
export const isPlainText = (text: string): boolean => /^[^\p{Cc}\p{Cs}]{1,256}$/u.test(text);
const attributes: readonly Attribute[] = [
  { header: 'ce_specversion', required: true, isValid: (text) => text === '1.0' },
  { header: 'ce_id', required: true, isValid: isUuid },
  { header: 'ce_source', required: true, isValid: isPlainText },
  { header: 'ce_type', required: true, isValid: isPlainText },
  { header: 'ce_subject', required: true, isValid: isPlainText },
  { header: 'ce_time', required: true, isValid: isWireInstant },
  { header: 'ce_causationid', required: false, isValid: isUuid },
  { header: 'ce_sequence', required: false, isValid: (text) => /^[1-9]\d{0,14}$/.test(text) },
];

/** Reads all attributes, or says which header is the first that is missing or malformed. */
export function decodeHeaders(headers: Headers): Envelope | UnreadableEnvelope {
  const texts: Record<string, string | undefined> = {};
  for (const { header } of attributes) texts[header] = headerText(headers, header);
  const rawSubject = texts['ce_subject'];
  const subject = rawSubject !== undefined && isPlainText(rawSubject) ? rawSubject : undefined;
  for (const { header, required, isValid } of attributes) {
    const text = texts[header];
    if (text === undefined && !required) continue;
    if (text === undefined) return { code: 'envelope_header_missing', header, subject };
    if (!isValid(text)) return { code: 'envelope_header_malformed', header, subject };
  }
  const traceparent = headerText(headers, 'traceparent');
  const sequence = texts['ce_sequence'];
  return {
    id: texts['ce_id']!,
    source: texts['ce_source']!,
    type: texts['ce_type']!,
    subject: subject!,
    time: texts['ce_time']!,
    causationId: texts['ce_causationid'],
    sequence: sequence === undefined ? undefined : Number(sequence),
    traceparent: isTraceparent(traceparent) ? traceparent : undefined,
  };
}

export const isUnreadable = (read: Envelope | UnreadableEnvelope): read is UnreadableEnvelope =>
  'code' in read;
