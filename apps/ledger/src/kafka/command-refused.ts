// The answer to a command on a topic that was not taken. It is about the command: its subject is
// the command's own id, so that the transfer of the same id (perhaps another team's) does not seem
// to end (attack H6).
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

export function commandRefused({ envelope, key, reason, invalidFields }: RefusedCommand): Emission {
  const data: DataOf<typeof ledgerCommandRefusedV1> = {
    reason,
    commandSource: envelope.source,
    ...(isUuid(envelope.subject) ? { transferId: envelope.subject } : {}),
    ...(invalidFields === undefined ? {} : { invalidFields: [...invalidFields] }),
  };
  return emission(ledgerCommandRefusedV1, {
    subject: envelope.id,
    key: isUuid(key) ? key : 'ledger',
    sequence: 1,
    data,
  });
}
