// Opening accounts and putting money into them. Both are named by the caller, so that a retry mints
// nothing (attack H13).
import { centsOf, invariant } from '@compasso/kernel';
import type { Caller } from '@compasso/runtime';
import type { AccountEvent } from '../domain/account.ts';
import type { AccountCommand } from '../domain/account.decide.ts';
import type { Fingerprints } from '../fingerprint.ts';
import type { LedgerDesk } from '../postgres/ledger-desk.ts';
import type { DeskNeed } from '../postgres/open-ledger-desk.ts';
import { clientCode } from '../requester.ts';
import { limitsFromWire } from '../wire-limits.ts';
import type { BlockBody, DepositBody, OpenAccountBody, SetLimitsBody } from './bodies.ts';
import type { Decide } from './decide-together.ts';
import { accountCommandRefused, differingAccountId } from './refusals.ts';
import {
  accountView,
  type AccountView,
  type MadeDeposit,
  madeDeposit,
  openedAccount,
  type OpenedAccount,
} from './views.ts';

export interface AccountDoorParts {
  readonly decide: Decide;
  readonly fingerprints: Fingerprints;
}

export class AccountDoor {
  private readonly parts: AccountDoorParts;

  constructor(parts: AccountDoorParts) {
    this.parts = parts;
  }

  /** @throws Problem when the command is refused */
  open(caller: Caller, accountId: string, body: OpenAccountBody): Promise<OpenedAccount> {
    caller.requireAccount(accountId);
    if (body.accountId !== undefined && body.accountId !== accountId) throw differingAccountId();
    const { holderKind, limits } = body;
    const command: AccountCommand = {
      type: 'OpenAccount',
      accountId,
      holderKind,
      limits: limitsFromWire(limits),
    };
    return this.decide(caller, { accountId, limits: 'none' }, () => command, (desk) => {
      const row = desk.accountRow(accountId);
      invariant(row !== undefined, 'an account that was opened exists');
      return openedAccount(row);
    });
  }

  /** @throws Problem when the command is refused */
  deposit(caller: Caller, accountId: string, named: NamedDeposit): Promise<MadeDeposit> {
    caller.requireAccount(accountId);
    const { depositId } = named;
    const content = { accountId, amount: centsOf(named.amountCents) };
    const fingerprint = this.parts.fingerprints.ofDeposit(content);
    const command: AccountCommand = {
      type: 'DepositFunds',
      deposit: { ...content, depositId, fingerprint },
    };
    return this.decide(caller, { accountId, depositId, limits: 'none' }, () => command, (desk) => {
      const row = desk.depositRow(depositId);
      invariant(row !== undefined, 'a deposit that was made exists');
      return madeDeposit(row);
    });
  }

  /** @throws Problem when the command is refused */
  setLimits(caller: Caller, accountId: string, body: SetLimitsBody): Promise<AccountView> {
    caller.requireAccount(accountId);
    return this.change(caller, accountId, (desk) => ({
      type: 'SetLimits',
      accountId,
      limits: limitsFromWire(body),
      given: desk.limitsGiven,
    }));
  }

  /** @throws Problem when the command is refused */
  setBlocked(caller: Caller, accountId: string, block: Block): Promise<AccountView> {
    caller.requireAccount(accountId);
    const type = block.isBlocked ? 'BlockAccount' : 'UnblockAccount';
    return this.change(caller, accountId, () => ({ type, accountId, reason: block.reason }));
  }

  private change(
    caller: Caller,
    accountId: string,
    commandOf: CommandOf,
  ): Promise<AccountView> {
    return this.decide(caller, { accountId, limits: 'none' }, commandOf, (desk) => {
      const row = desk.accountRow(accountId);
      invariant(row !== undefined, 'an account that was changed exists');
      return accountView(row, desk.given.at);
    });
  }

  private async decide<Answer>(
    caller: Caller,
    need: DeskNeed,
    commandOf: CommandOf,
    answerOf: (desk: LedgerDesk) => Answer,
  ): Promise<Answer> {
    const outcome = await this.parts.decide(need, (desk) => {
      const events = desk.decideAccount(commandOf(desk), clientCode(caller.subject));
      const refusal = events.find(isRefusal);
      return refusal === undefined ? { answer: answerOf(desk) } : { refusal };
    });
    if (outcome.refusal !== undefined) throw accountCommandRefused(outcome.refusal.reason);
    return outcome.answer;
  }
}

/** Some commands need what only the transaction knows, as the instant at which it decides. */
type CommandOf = (desk: LedgerDesk) => AccountCommand;

export interface Block extends BlockBody {
  readonly isBlocked: boolean;
}

export interface NamedDeposit extends DepositBody {
  readonly depositId: string;
}

type Refusal = Extract<AccountEvent, { type: 'CommandRefused' }>;
const isRefusal = (event: AccountEvent): event is Refusal => event.type === 'CommandRefused';
