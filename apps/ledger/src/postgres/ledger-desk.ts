// The rows of one transaction, locked once and in the global order, as pages on which decisions are
// made. What a decision changes is written here and nowhere else: rows, journal entries and events
// come from the same domain events.
import type { Cents, Instant, NewId } from '@compasso/kernel';
import type { Emission, WorkingSet } from '@compasso/messaging';
import { type AccountEvent, type AccountPage, evolveAccount } from '../domain/account.ts';
import { type AccountCommand, decideAccount } from '../domain/account.decide.ts';
import { depositEntry, type JournalEntry } from '../domain/journal.ts';
import type { NightWindow } from '../domain/limit-buckets.ts';
import type { LimitsGiven } from '../domain/limits.ts';
import {
  type Contradiction,
  entryOf,
  evolveTransfer,
  type Transfer,
  type TransferEvent,
  type TransferPage,
} from '../domain/transfer.ts';
import {
  decideTransfer,
  type Given,
  type TransferCommand,
  type TransferPolicy,
} from '../domain/transfer.decide.ts';
import { emissionOfAccount } from '../kafka/account-emissions.ts';
import { emissionOfTransfer } from '../kafka/transfer-emissions.ts';
import { fromAccount, fromTransfer, toAccount, toDeposit, toTransfer } from './rows.ts';
import {
  type AccountRow,
  accountTable,
  cancellationTable,
  type DepositRow,
  depositTable,
  journalEntryTable,
  limitUsageTable,
  postingTable,
  type TransferRow,
  transferTable,
} from './tables.ts';

export interface DeskParts {
  readonly newId: NewId;
  readonly night: NightWindow;
  readonly policy: TransferPolicy;
  readonly raiseLimitsAfterMs: number;
  readonly onContradiction: (rule: Contradiction, transferId: string) => void;
}

export class LedgerDesk {
  readonly given: Given;
  private readonly instant: Instant;
  private readonly set: WorkingSet;
  private readonly parts: DeskParts;

  constructor(set: WorkingSet, parts: DeskParts, given: Given) {
    this.set = set;
    this.parts = parts;
    this.given = given;
    this.instant = given.at;
  }

  get limitsGiven(): LimitsGiven {
    return { at: this.instant, raiseAfterMs: this.parts.raiseLimitsAfterMs };
  }

  /** The row as this transaction leaves it. */
  transferRow(transferId: string): TransferRow | undefined {
    return this.set.get(transferTable, transferId);
  }

  accountRow(accountId: string): AccountRow | undefined {
    return this.set.get(accountTable, accountId);
  }

  depositRow(depositId: string): DepositRow | undefined {
    return this.set.get(depositTable, depositId);
  }

  emit(emission: Emission): void {
    this.set.emit(emission);
  }

  /** Decides about a transfer and writes what follows. */
  decideTransfer(transferId: string, command: TransferCommand): readonly TransferEvent[] {
    const accountId =
      command.type === 'RequestTransfer' ? command.request.accountId : command.accountId;
    const row = this.set.get(transferTable, transferId);
    const transfer: Transfer = row === undefined ? { state: 'none' } : toTransfer(row);
    const account = this.set.get(accountTable, accountId);
    const page: TransferPage = {
      transfer,
      account: account && toAccount(account),
      used: this.usedOf(accountId, bucketsOf(command, transfer)),
      isCancelled: asksOrCancels(command) && this.isCancelled(transferId, accountId),
    };
    const events = decideTransfer(command, page);
    if (events.length > 0) this.writeTransfer(transferId, page, events);
    return events;
  }

  /** Decides about an account and writes what follows. */
  decideAccount(command: AccountCommand, requestedBy: string): readonly AccountEvent[] {
    const subject = command.type === 'DepositFunds' ? command.deposit : command;
    const account = this.set.get(accountTable, subject.accountId);
    const deposit =
      'depositId' in subject ? this.set.get(depositTable, subject.depositId) : undefined;
    const page: AccountPage = {
      account: account && toAccount(account),
      deposit: deposit && toDeposit(deposit),
    };
    const events = decideAccount(command, page);
    this.writeAccount(page, events, {
      sequence: account?.sequence ?? 0,
      openedAt: account?.openedAt ?? this.instant,
      openedBy: account?.openedBy ?? requestedBy,
    });
    return events;
  }

  private isCancelled(transferId: string, accountId: string): boolean {
    return this.set.get(cancellationTable, transferId, accountId) !== undefined;
  }

  private usedOf(accountId: string, buckets: readonly string[]): ReadonlyMap<string, Cents> {
    const used = new Map<string, Cents>();
    for (const bucket of buckets) {
      const row = this.set.get(limitUsageTable, accountId, bucket);
      if (row !== undefined) used.set(bucket, row.usedCents);
    }
    return used;
  }

  private writeTransfer(
    transferId: string,
    page: TransferPage,
    events: readonly TransferEvent[],
  ): void {
    const known = this.set.get(transferTable, transferId);
    let sequence = known?.sequence ?? 0;
    let after = page;
    for (const event of events) {
      after = evolveTransfer(after, event);
      const entry = entryOf(event);
      if (entry !== undefined) this.addEntry(entry);
      if (event.type === 'CancellationKept') {
        this.keepCancellation(transferId, page.account!.accountId, event.requestedBy);
      }
      if (event.type === 'ContradictionSeen') this.parts.onContradiction(event.rule, transferId);
      const published = emissionOfTransfer(event, sequence + 1);
      if (published === undefined) continue;
      sequence += 1;
      this.set.emit(published);
    }
    if (after.transfer === page.transfer && sequence === (known?.sequence ?? 0)) return;
    const createdAt = known?.createdAt ?? this.instant;
    this.set.put(
      transferTable,
      fromTransfer(after.transfer, { sequence, createdAt, updatedAt: this.instant }),
    );
    if (after.account !== page.account && after.account !== undefined) {
      const { accountId } = after.account;
      this.set.put(
        accountTable,
        fromAccount(after.account, this.set.get(accountTable, accountId)!),
      );
      this.writeUsed(accountId, page.used, after.used);
    }
  }

  private keepCancellation(transferId: string, accountId: string, requestedBy: string): void {
    this.set.put(cancellationTable, { transferId, accountId, requestedBy, requestedAt: this.instant });
  }

  private writeUsed(
    accountId: string,
    before: ReadonlyMap<string, Cents>,
    after: ReadonlyMap<string, Cents>,
  ): void {
    for (const [bucket, usedCents] of after) {
      if (before.get(bucket) === usedCents) continue;
      this.set.put(limitUsageTable, { accountId, bucket, usedCents });
    }
  }

  private writeAccount(
    page: AccountPage,
    events: readonly AccountEvent[],
    history: Pick<AccountRow, 'sequence' | 'openedAt' | 'openedBy'>,
  ): void {
    let { sequence } = history;
    let after = page;
    for (const event of events) {
      after = evolveAccount(after, event);
      if (event.type === 'FundsDeposited') this.addDeposit(event);
      const published = emissionOfAccount(event, sequence + 1);
      if (published === undefined) continue;
      sequence += 1;
      this.set.emit(published);
    }
    if (after.account === page.account || after.account === undefined) return;
    this.set.put(accountTable, fromAccount(after.account, { ...history, sequence }));
  }

  private addDeposit({ deposit }: Extract<AccountEvent, { type: 'FundsDeposited' }>): void {
    const { amount: amountCents, ...rest } = deposit;
    this.set.put(depositTable, { ...rest, amountCents, createdAt: this.instant });
    this.addEntry(depositEntry(deposit));
  }

  private addEntry(entry: JournalEntry): void {
    const { postings, kind, accountId, transferId, depositId } = entry;
    const entryId = this.parts.newId();
    const row = { entryId, kind, accountId, transferId, depositId, recordedAt: this.instant };
    this.set.add(journalEntryTable, row);
    postings.forEach((posting, at) =>
      this.set.add(postingTable, {
        entryId,
        line: at + 1,
        book: posting.book,
        accountId: posting.accountId,
        amountCents: posting.amount,
      }),
    );
  }
}

const asksOrCancels = ({ type }: TransferCommand): boolean =>
  type === 'RequestTransfer' || type === 'CancelTransfer';

/** The limits that a command can touch; what a hold used comes back to the same ones. */
function bucketsOf(command: TransferCommand, transfer: Transfer): readonly string[] {
  if (command.type === 'ReleaseFunds' || command.type === 'CancelTransfer')
    return 'hold' in transfer ? transfer.hold.buckets : [];
  if (command.type === 'SettleTransfer') return [];
  const { day, night } = command.given.period;
  return night === undefined ? [day] : [day, night];
}
