// The behaviour suite of providers. Every adapter passes it against a provider that misbehaves on demand, and so does the fake
// in memory: what a decision is told is the same whoever tells it. Imported by specs only.
import { centsOf, instantOf } from '@compasso/kernel';
import { eventually } from '@compasso/testing';
import { uuidv7 } from 'uuidv7';
import type { Call, PayoutOrder, Provider, Submitted } from './provider.port.ts';

export type Fault =
  | 'none'
  | 'silence_before_accepting'
  | 'error_before_accepting'
  | 'silence_after_accepting'
  | 'reset_after_accepting'
  | 'error_after_accepting'
  | 'unreadable_after_accepting'
  | 'refusal'
  | 'too_many_requests'
  | 'credentials_refused'
  | 'processing_for_ever'
  | 'fails'
  | 'unknown_status';

export interface Backstage {
  readonly provider: Provider;
  /** What the provider will do to this order; told before its first call. */
  befall(orderId: string, fault: Fault): Promise<void> | void;
  /** How many orders the provider holds under this id. */
  orderCount(orderId: string): Promise<number> | number;
  close(): Promise<void>;
}

const cpf = { keyType: 'cpf', key: '52998224725' };
const masked = { keyType: 'cpf', keyMasked: '***982247**' };

const order = (changes: Partial<PayoutOrder> = {}): PayoutOrder => ({
  orderId: uuidv7(),
  amountCents: centsOf(15_000),
  ...cpf,
  ...changes,
});

const call: Call = { timeoutMs: 1_500, mayStart: () => undefined };

/** @param open is given afresh for each test */
export function describeProvider(name: string, open: () => Promise<Backstage> | Backstage): void {
  describe(`a provider ${name}`, () => {
    let backstage: Backstage;
    let provider: Provider;

    beforeEach(async () => {
      backstage = await open();
      provider = backstage.provider;
    });
    afterEach(() => backstage.close());

    const submitWith = async (fault: Fault, changes: Partial<PayoutOrder> = {}): Promise<SubmittedOrder> => {
      const sent = order(changes);
      await backstage.befall(sent.orderId, fault);
      return { sent, submitted: await provider.submit(sent, call) };
    };
    const answerTo = async ({ orderId }: PayoutOrder) => (await provider.query(orderId, call)).answer;
    const ends = (sent: PayoutOrder, kind: string) =>
      eventually(
        async () => {
          const answer = await answerTo(sent);
          return answer.kind === kind ? answer : undefined;
        },
        { because: `the order is ${kind}` },
      );

    it('accepts an order and shows its amount and destination until it is paid', async () => {
      const { sent, submitted } = await submitWith('none');
      expect(submitted.outcome).toMatchObject({ kind: 'accepted' });
      const paid = await ends(sent, 'paid');
      expect(paid).toEqual({
        kind: 'paid',
        endToEndId: expect.stringMatching(/^E/),
        amountCents: sent.amountCents,
        destination: masked,
      });
    });

    it('takes a repeat for the same order, and says so once it has ended', async () => {
      const { sent } = await submitWith('none');
      await ends(sent, 'paid');
      expect((await provider.submit(sent, call)).outcome).toEqual({ kind: 'accepted', isFinal: true });
      expect(await backstage.orderCount(sent.orderId)).toBe(1);
    });

    it('does not take other content under the same id, and keeps the first', async () => {
      const { sent } = await submitWith('none');
      const other = { ...sent, amountCents: centsOf(15_100) };
      expect((await provider.submit(other, call)).outcome).toEqual({ kind: 'already_exists' });
      expect(await answerTo(sent)).toMatchObject({ amountCents: sent.amountCents });
      expect(await backstage.orderCount(sent.orderId)).toBe(1);
    });

    it('says that it does not find what it never saw, and creates nothing by being asked', async () => {
      const never = order();
      expect(await answerTo(never)).toEqual({ kind: 'not_found' });
      expect(await answerTo(never)).toEqual({ kind: 'not_found' });
      expect(await backstage.orderCount(never.orderId)).toBe(0);
    });

    it('refuses for good and leaves nothing behind', async () => {
      const { sent, submitted } = await submitWith('refusal');
      expect(submitted.outcome).toEqual({ kind: 'rejected', code: 'AC03' });
      expect(await answerTo(sent)).toEqual({ kind: 'not_found' });
      expect(await backstage.orderCount(sent.orderId)).toBe(0);
    });

    it('fails an order that it had accepted', async () => {
      const { sent } = await submitWith('fails');
      expect(await ends(sent, 'failed')).toMatchObject({ code: 'AC03', amountCents: sent.amountCents });
    });

    it('may process for ever', async () => {
      const { sent } = await submitWith('processing_for_ever');
      expect(await answerTo(sent)).toEqual({
        kind: 'processing',
        amountCents: sent.amountCents,
        destination: masked,
      });
    });

    it('is taken for processing when it uses a word that nobody knows', async () => {
      const { sent } = await submitWith('unknown_status');
      expect(await answerTo(sent)).toMatchObject({ kind: 'processing' });
    });

    it.each([
      'silence_after_accepting',
      'reset_after_accepting',
      'error_after_accepting',
      'unreadable_after_accepting',
    ] as const)('leaves an order of unknown outcome: %s', async (fault) => {
      const { sent, submitted } = await submitWith(fault);
      expect(submitted.outcome).toMatchObject({ kind: 'unknown' });
      expect(await ends(sent, 'paid')).toBeDefined();
      expect(await backstage.orderCount(sent.orderId)).toBe(1);
    });

    it.each(['silence_before_accepting', 'error_before_accepting'] as const)(
      'cannot be told from that when it had accepted nothing; a repeat then is the first order: %s',
      async (fault) => {
        const { sent, submitted } = await submitWith(fault);
        expect(submitted.outcome).toMatchObject({ kind: 'unknown' });
        expect(await answerTo(sent)).toEqual({ kind: 'not_found' });
        expect((await provider.submit(sent, call)).outcome).toMatchObject({ kind: 'accepted' });
        expect(await backstage.orderCount(sent.orderId)).toBe(1);
      },
    );

    it.each(['too_many_requests', 'credentials_refused'] as const)(
      'says that it took nothing: %s',
      async (fault) => {
        const { sent, submitted } = await submitWith(fault);
        expect(submitted).toMatchObject({
          outcome: { kind: 'not_sent', cause: fault },
          holdBack: { because: fault },
        });
        expect(await backstage.orderCount(sent.orderId)).toBe(0);
      },
    );

    it('sends nothing of a call that may not start', async () => {
      const sent = order();
      const { outcome } = await provider.submit(sent, { ...call, mayStart: () => 'send_window_passed' });
      expect(outcome).toEqual({ kind: 'not_sent', cause: 'send_window_passed' });
      expect(await answerTo(sent)).toEqual({ kind: 'not_found' });
      expect(await backstage.orderCount(sent.orderId)).toBe(0);
    });

    it('lists what changed, the oldest change first', async () => {
      const before = instantOf(Date.now() - 60_000);
      const first = await submitWith('none');
      await ends(first.sent, 'paid');
      const second = await submitWith('processing_for_ever');
      const listed = await provider.list({ from: before, to: instantOf(Date.now() + 60_000) }, call);
      const ids = listed.kind === 'page' ? listed.orders.map(({ orderId }) => orderId) : [];
      const ours = ids.filter((id) => id === first.sent.orderId || id === second.sent.orderId);
      expect(ours).toEqual([first.sent.orderId, second.sent.orderId]);
    });

    it('knows a transfer by a name that can be derived again, both ways', () => {
      const transferId = uuidv7();
      expect(provider.orderIdOf(transferId)).toBe(provider.orderIdOf(transferId));
      expect(provider.transferIdOf(provider.orderIdOf(transferId))).toBe(transferId);
      expect(provider.transferIdOf('../admin')).toBeUndefined();
    });
  });
}

interface SubmittedOrder {
  readonly sent: PayoutOrder;
  readonly submitted: Submitted;
}
