// Whatever happens, in whatever order: the books balance, nobody is ever negative, and limits come
// back whole.
import { type Cents, centsOf, sumCents } from '@compasso/kernel';
import fc from 'fast-check';
import { type Account, post } from './account.ts';
import { depositEntry, type JournalEntry } from './journal.ts';
import { entryOf, evolveTransfer, type Transfer, type TransferPage } from './transfer.ts';
import { decideTransfer, type TransferCommand } from './transfer.decide.ts';
import {
  accountId,
  anAccount,
  aRequest,
  givenAt,
  noon,
  release,
  cancel,
  request,
  settle,
} from './transfer.story.ts';

const transferIds = ['t1', 't2', 't3', 't4'] as const;
const amount = fc.integer({ min: 1, max: 900 }).map((cents) => centsOf(cents));
const fee = centsOf(7);

/** `exact`: proof from the gateway names the amount that was held; otherwise whatever comes. */
type Step = { readonly on: string; readonly command: TransferCommand; readonly exact: boolean };

const drawn = fc.record({
  on: fc.constantFrom(...transferIds),
  kind: fc.constantFrom('request', 'settle', 'release', 'cancel'),
  amount,
  exact: fc.boolean(),
  hours: fc.integer({ min: 0, max: 72 }),
  keyType: fc.constantFrom('email' as const, 'cnpj' as const),
});

const step: fc.Arbitrary<Step> = drawn.map(({ on, kind, amount: cents, exact, hours, keyType }) => {
  const at = givenAt((noon + hours * 3_600_000) as typeof noon, {
    policy: { fee, sendWithinMs: 1_000 },
  });
  const payee = { keyType, keyMasked: 'x', sealed: 'a.b.c.d.e' };
  const asked = aRequest({ transferId: on, amount: cents, payee, fingerprint: `${on}/${cents}` });
  if (kind === 'request') return { on, exact, command: request({ request: asked, given: at }) };
  if (kind === 'cancel') return { on, exact, command: cancel() };
  return {
    on,
    exact,
    command: kind === 'settle' ? settle({ amount: cents }) : release({ amount: cents }),
  };
});

interface World {
  account: Account;
  used: ReadonlyMap<string, Cents>;
  readonly transfers: Map<string, Transfer>;
  readonly cancelled: Set<string>;
  readonly entries: JournalEntry[];
}

function play(steps: readonly Step[]): World {
  const deposited = depositEntry({ depositId: 'd', accountId, amount: centsOf(3_000) });
  const limits = { perTransfer: centsOf(800), day: centsOf(2_000), night: centsOf(1_000) };
  const world: World = {
    account: post(anAccount({ available: centsOf(0), limits }), deposited),
    used: new Map(),
    transfers: new Map(),
    cancelled: new Set(),
    entries: [deposited],
  };
  for (const { on, command: as, exact } of steps) {
    const transfer = world.transfers.get(on) ?? { state: 'none' as const };
    if (transfer.state === 'none' && (as.type === 'SettleTransfer' || as.type === 'ReleaseFunds')) continue;
    const command = exact && 'hold' in transfer ? withAmount(as, transfer.hold.request.amount) : as;
    const isCancelled = world.cancelled.has(on);
    let page: TransferPage = { transfer, account: world.account, used: world.used, isCancelled };
    for (const event of decideTransfer(command, page)) {
      page = evolveTransfer(page, event);
      const entry = entryOf(event);
      if (entry !== undefined) world.entries.push(entry);
    }
    world.account = page.account!;
    world.used = page.used;
    world.transfers.set(on, page.transfer);
    if (page.isCancelled) world.cancelled.add(on);
  }
  return world;
}

const withAmount = (command: TransferCommand, exact: Cents): TransferCommand =>
  'amount' in command ? { ...command, amount: exact } : command;

const openHolds = (world: World) =>
  [...world.transfers.values()].flatMap((transfer) =>
    transfer.state === 'authorized' ? [transfer.hold] : [],
  );
const sumOf = (world: World, book: string) =>
  sumCents(
    world.entries.flatMap(({ postings }) =>
      postings.filter((one) => one.book === book).map((one) => one.amount),
    ),
  );

describe('after any history of commands', () => {
  it('has seen every end, or it proves nothing', () => {
    const ends = fc.sample(fc.array(step, { minLength: 30, maxLength: 40 }), {
      numRuns: 50,
      seed: 1,
    });
    const states = new Set(
      ends.flatMap((steps) => [...play(steps).transfers.values()].map(({ state }) => state)),
    );
    expect([...states].sort()).toEqual(['authorized', 'none', 'refused', 'released', 'settled']);
  });

  const holds = (property: (world: World) => void) =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => property(play(steps))),
      { numRuns: 500 },
    );

  it('each entry sums to zero, and each balance is the sum of its postings', () =>
    holds((world) => {
      for (const entry of world.entries)
        expect(sumCents(entry.postings.map((one) => one.amount))).toBe(0n);
      expect(sumOf(world, 'customer_available')).toBe(world.account.available);
      expect(sumOf(world, 'customer_held')).toBe(world.account.held);
    }));

  it('no balance is negative, and what is held is the open holds with their fees', () =>
    holds((world) => {
      expect(world.account.available).toBeGreaterThanOrEqual(0n);
      const held = openHolds(world).map((hold) => hold.request.amount + hold.fee);
      expect(world.account.held).toBe(held.reduce((total, one) => total + one, 0n));
    }));

  it('each hold is settled or released at most once, never both', () =>
    holds((world) => {
      for (const id of transferIds) {
        const kinds = world.entries
          .filter((entry) => entry.transferId === id)
          .map((entry) => entry.kind);
        expect([[], ['hold'], ['hold', 'settle'], ['hold', 'release']]).toContainEqual(kinds);
      }
    }));

  it('limits count what was held and not given back, and were never exceeded', () =>
    holds((world) => {
      const counted = new Map<string, bigint>();
      for (const transfer of world.transfers.values()) {
        if (transfer.state !== 'authorized' && transfer.state !== 'settled') continue;
        for (const bucket of transfer.hold.buckets) {
          counted.set(bucket, (counted.get(bucket) ?? 0n) + transfer.hold.request.amount);
        }
      }
      for (const [bucket, cents] of world.used) {
        expect(cents).toBe(counted.get(bucket) ?? 0n);
        expect(cents).toBeLessThanOrEqual(bucket.startsWith('night') ? 1_000n : 2_000n);
      }
    }));
});
