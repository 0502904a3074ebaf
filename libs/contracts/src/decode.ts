// One reader for every topic: bytes in, and either an event with its contract or the reason why there is none.
import { isUuid } from '@compasso/kernel';
import { contractOfType, isOtherVersionOfKnown } from './catalog.ts';
import type { Contract } from './contract.ts';
import { decodeHeaders, type Envelope, type Headers, isPlainText, isUnreadable } from './envelope.ts';
import type { TopicDefinition } from './topics.ts';

/** A staged event may not be larger (attack H30); a received value that is larger was not written by our rules. */
export const valueBytesMax = 65_536;
export const nestingMax = 16;

export interface RawMessage {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Headers;
}

export type DeadReason =
  | 'key_missing'
  | 'key_malformed'
  | 'value_missing'
  | 'value_too_large'
  | 'value_too_deep'
  | 'value_undecodable'
  | 'value_not_an_object'
  | 'envelope_header_missing'
  | 'envelope_header_malformed'
  | 'subject_malformed'
  | 'sequence_missing'
  | 'source_foreign'
  | 'type_foreign'
  | 'version_unsupported'
  | 'data_invalid';

export type Decoded =
  | {
      readonly kind: 'event';
      readonly key: string;
      readonly envelope: Envelope;
      readonly contract: Contract;
      readonly data: unknown;
    }
  /** The envelope is fine, the data is not: who receives commands answers, everybody else sets it aside. */
  | {
      readonly kind: 'invalid-data';
      readonly key: string;
      readonly envelope: Envelope;
      readonly contract: Contract;
      readonly invalidFields: readonly string[];
      readonly accountId: string | undefined;
    }
  /** An event that this build does not know: stored, counted, passed over. */
  | {
      readonly kind: 'unknown-type';
      readonly key: string;
      readonly envelope: Envelope;
      /** As it came: no schema of ours has judged it. */
      readonly data: object;
    }
  | {
      readonly kind: 'dead';
      readonly reason: DeadReason;
      readonly key: string | undefined;
      readonly subject: string | undefined;
      readonly envelope?: Envelope | undefined;
    };

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Keeps a byte order mark, which is part of the key's bytes and so of its partition. */
const keyUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readKey(key: Uint8Array | null): string | undefined {
  if (key === null || key.length === 0) return undefined;
  try {
    const text = keyUtf8.decode(key);
    return isPlainText(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Counts nesting before parsing, so that a hostile value costs a scan and no stack. */
function nestsTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inString) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > nestingMax) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return false;
}

type ReadValue = { readonly object: object } | { readonly reason: DeadReason };

function readValue(value: Uint8Array | null): ReadValue {
  if (value === null || value.length === 0) return { reason: 'value_missing' };
  if (value.length > valueBytesMax) return { reason: 'value_too_large' };
  if (nestsTooDeep(value)) return { reason: 'value_too_deep' };
  let parsed: unknown;
  try {
    parsed = JSON.parse(utf8.decode(value));
  } catch {
    return { reason: 'value_undecodable' };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return { reason: 'value_not_an_object' };
  }
  return { object: parsed };
}

function misplaced(envelope: Envelope, contract: Contract, topic: TopicDefinition): DeadReason | undefined {
  if (contract.family !== topic.family) return 'type_foreign';
  if (!isUuid(envelope.subject)) return 'subject_malformed';
  if (envelope.sequence === undefined && contract.publisher !== 'requester') return 'sequence_missing';
  return undefined;
}

const accountOf = (data: object): string | undefined => {
  const accountId = (data as { accountId?: unknown }).accountId;
  return typeof accountId === 'string' && isUuid(accountId) ? accountId : undefined;
};

export function decodeMessage(message: RawMessage, topic: TopicDefinition): Decoded {
  const read = decodeHeaders(message.headers);
  const key = readKey(message.key);
  const subject = read.subject;
  const dead = (reason: DeadReason): Decoded => ({
    kind: 'dead',
    reason,
    key,
    subject,
    envelope: isUnreadable(read) ? undefined : read,
  });
  if (isUnreadable(read)) return dead(read.code);
  if (message.key === null || message.key.length === 0) return dead('key_missing');
  if (key === undefined) return dead('key_malformed');
  if (read.source !== topic.source) return dead('source_foreign');
  const value = readValue(message.value);
  if ('reason' in value) return dead(value.reason);
  const contract = contractOfType(read.type);
  if (contract === undefined) {
    if (isOtherVersionOfKnown(read.type)) return dead('version_unsupported');
    return { kind: 'unknown-type', key, envelope: read, data: value.object };
  }
  const wrongPlace = misplaced(read, contract, topic);
  if (wrongPlace !== undefined) return dead(wrongPlace);
  const parsed = contract.schema.safeParse(value.object);
  const accountId = accountOf(value.object);
  if (parsed.success && isKeyOf(contract, key, read, accountId)) {
    return { kind: 'event', key, envelope: read, contract, data: parsed.data };
  }
  const invalidFields = parsed.success
    ? ['key']
    : fieldsOf(parsed.error.issues);
  return { kind: 'invalid-data', key, envelope: read, contract, invalidFields, accountId };
}

/** Names that the sender made up (metadata) are not repeated: an answer carries codes, never free text (attack H28). */
const fieldsOf = (issues: readonly { readonly path: readonly PropertyKey[] }[]): readonly string[] => [
  ...new Set(
    issues.slice(0, 20).map(({ path }) => {
      const [first = '', ...rest] = path.map(String);
      return first === 'metadata' ? first : [first, ...rest].join('.');
    }),
  ),
];

/** A record under another account's key would be handled out of that account's order. */
function isKeyOf(
  contract: Contract,
  key: string,
  envelope: Envelope,
  accountId: string | undefined,
): boolean {
  if (contract.family === 'transfer-status') return key === envelope.subject;
  return accountId === undefined || key === accountId;
}
