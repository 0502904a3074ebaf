import { centsOf, isUuid } from '@compasso/kernel';
import {
  duration,
  integer,
  json,
  secretFile,
  serviceSchema,
  text,
  timeOfDay,
} from '@compasso/runtime/config';
import { z } from 'zod';
import { holdsPublicKeys } from './http/payee-sealer.ts';
import type { RequestTeam } from './kafka/on-transfer-requested.ts';
import type { DeskParts } from './postgres/ledger-desk.ts';

const fingerprintKeyBytesMin = 32;

/** Which accounts each team may debit through its topic; "*" stands for every account. */
const teamAccounts = z.record(
  z.string(),
  z.array(z.string().refine((account) => account === '*' || isUuid(account))),
);

export const ledgerSchema = serviceSchema
  .safeExtend({
    payeeJwksFile: text().refine(holdsPublicKeys, {
      message: 'must name a file with the public P-256 keys of the payout gateway',
    }),
    payeeFingerprintKeyFile: secretFile().refine(
      (secret) => Buffer.from(secret.reveal(), 'base64url').length >= fingerprintKeyBytesMin,
      { message: `names a file with fewer than ${fingerprintKeyBytesMin} bytes in base64url` },
    ),
    ledgerTeamAccounts: json(teamAccounts),
    /** Equal ends: the night covers the whole day. */
    ledgerNightFrom: timeOfDay({ default: '20:00' }),
    ledgerNightUntil: timeOfDay({ default: '06:00' }),
    ledgerFeeCents: integer({ min: 0, max: 1_000_000, default: 0 }),
    ledgerSendWithinMs: duration({ min: 1_000, max: 86_400_000, default: 900_000 }),
    /** Between 24 and 48 hours in production (pix.md 1.6). */
    ledgerRaiseLimitsAfterMs: duration({ min: 0, max: 172_800_000, default: 86_400_000 }),
  })
  .refine(
    ({ requestTeams, ledgerTeamAccounts }) =>
      requestTeams.every((team) => Object.hasOwn(ledgerTeamAccounts, team)),
    {
      path: ['ledgerTeamAccounts'],
      message: 'must say for each of REQUEST_TEAMS what it may debit',
    },
  );

export type LedgerConfig = Readonly<z.output<typeof ledgerSchema>>;

export const teamsOf = (config: LedgerConfig): readonly RequestTeam[] =>
  config.requestTeams.map((name) => {
    const accounts = new Set(config.ledgerTeamAccounts[name]);
    return { name, mayDebit: (accountId) => accounts.has('*') || accounts.has(accountId) };
  });

export const policyOf = (config: LedgerConfig): Pick<DeskParts, 'night' | 'policy' | 'raiseLimitsAfterMs'> => ({
  night: { from: config.ledgerNightFrom, until: config.ledgerNightUntil },
  policy: { fee: centsOf(config.ledgerFeeCents), sendWithinMs: config.ledgerSendWithinMs },
  raiseLimitsAfterMs: config.ledgerRaiseLimitsAfterMs,
});
