// The answer to a command on a topic that was not taken. It is about the command: its subject is the command's own id, so
// that the transfer of the same id (perhaps another team's) does not seem to end (attack H6).
import { type DataOf, type Envelope, ledgerCommandRefusedV1 } from '@compasso/contracts';
import { isUuid } from '@compasso/kernel';
import { type Emission, emission } from '@compasso/messaging';

export interface RefusedCommand {
  readonly envelope: Envelope;
  /** The record's key: what the answer is keyed by too. */
  readonly key: string;
  readonly reason: string;
  readonly invalidFields?: readonly string[];
}

const limits = { fieldsMax: 20, pathLengthMax: 128 } as const;

export function commandRefused({ envelope, key, reason, invalidFields }: RefusedCommand): Emission {
  const data: DataOf<typeof ledgerCommandRefusedV1> = {
    reason,
    commandSource: envelope.source,
    ...(isUuid(envelope.subject) ? { transferId: envelope.subject } : {}),
    ...(invalidFields === undefined ? {} : { invalidFields: publicPaths(invalidFields) }),
  };
  return emission(ledgerCommandRefusedV1, {
    subject: envelope.id,
    key: isUuid(key) ? key : 'ledger',
    sequence: 1,
    data,
  });
}

/** Names inside `metadata` are the requester's own text, of any length and with anything in it. */
const publicPaths = (paths: readonly string[]): string[] =>
  [...new Set(paths.map((path) => (path.startsWith('metadata.') ? 'metadata' : path)))]
    .map((path) => path.slice(0, limits.pathLengthMax))
    .slice(0, limits.fieldsMax);
