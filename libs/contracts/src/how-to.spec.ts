// The code that README.md shows to other teams, run: a test compares the two (tools/contracts/package.spec.ts).
import { readFileSync } from 'node:fs';
import {
  type DataOf,
  decodeMessage,
  encodeHeaders,
  type PublicKeys,
  type RawMessage,
  readPixKey,
  sealPayee,
  sourceOfTeam,
  transferRequestedV1,
  transferRequestsOf,
  transferStatus,
  transferStatusChangedV1,
} from '@compasso/contracts';
import { exportJWK, generateKeyPair } from 'jose';

const team = 'billing';

interface Order {
  readonly transferId: string;
  readonly commandId: string;
  readonly createdAt: string;
  readonly accountId: string;
  readonly amountCents: number;
  readonly payeeCpf: string;
  readonly reference: string;
}

async function transferRequest(order: Order, gatewayKeys: PublicKeys) {
  const payee = readPixKey('cpf', order.payeeCpf);
  if (!payee.ok) return { refused: payee.code };

  const data = transferRequestedV1.schema.parse({
    accountId: order.accountId,
    amountCents: order.amountCents,
    payee: await sealPayee(payee.value, gatewayKeys),
    clientReference: order.reference,
  });
  return {
    topic: transferRequestsOf(team).name,
    key: order.accountId,
    headers: encodeHeaders({
      id: order.commandId,
      source: sourceOfTeam(team),
      type: transferRequestedV1.type,
      subject: order.transferId,
      time: order.createdAt,
    }),
    value: JSON.stringify(data),
  };
}

type Status = DataOf<typeof transferStatusChangedV1>;

function latest(known: Status | undefined, record: RawMessage): Status | undefined {
  const decoded = decodeMessage(record, transferStatus);
  if (decoded.kind !== 'event' || decoded.contract.type !== transferStatusChangedV1.type) {
    return known;
  }
  const next = decoded.data as Status;
  if (known === undefined || next.projection > known.projection) return next;
  return next.projection === known.projection && next.version > known.version ? next : known;
}

const order: Order = {
  transferId: '019b3f2d-1a10-7a44-9c55-3f0e5d1c2b01',
  commandId: '019b3f2d-1a22-7b22-8d21-6c5e4f3a2b22',
  createdAt: '2026-11-30T12:00:00.000Z',
  accountId: '019b3f2c-7c1e-7000-8000-00000000a001',
  amountCents: 12345,
  payeeCpf: '52998224725',
  reference: 'invoice 2026/118',
};

async function gatewayKeys(): Promise<PublicKeys> {
  const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  return { keys: [{ ...(await exportJWK(publicKey)), kid: '2026-a' }] };
}

const statusRecord = (change: Partial<Status>): RawMessage => {
  const file = new URL('../examples/transfer.status-changed.v1.json', import.meta.url);
  const { key, headers, value } = JSON.parse(readFileSync(file, 'utf8'));
  return {
    key: Buffer.from(key),
    headers,
    value: Buffer.from(JSON.stringify({ ...value, ...change })),
  };
};

describe('producing a request', () => {
  it('gives a record that the ledger reads', async () => {
    const record = await transferRequest(order, await gatewayKeys());
    if ('refused' in record) return expect(record).toBeUndefined();
    const bytes = { ...record, key: Buffer.from(record.key), value: Buffer.from(record.value) };

    expect(decodeMessage(bytes, transferRequestsOf(team))).toMatchObject({
      kind: 'event',
      envelope: { subject: order.transferId },
      data: { amountCents: 12345, payee: { keyMasked: '***982247**' } },
    });
  });

  it('says no before anything is sent', async () => {
    const refused = await transferRequest(
      { ...order, payeeCpf: '52998224700' },
      await gatewayKeys(),
    );

    expect(refused).toEqual({ refused: 'pix_key_cpf_invalid' });
  });
});

describe('following the status feed', () => {
  it('keeps the highest projection and version, in whatever order they come', () => {
    const [first, second, rebuilt] = [
      statusRecord({ projection: 1, version: 7, state: 'submitted' }),
      statusRecord({ projection: 1, version: 8, state: 'completed' }),
      statusRecord({ projection: 2, version: 3, state: 'completed' }),
    ];
    const fold = (records: readonly RawMessage[]) =>
      records.reduce(latest, undefined as Status | undefined);

    expect(fold([first, second, rebuilt])).toMatchObject({ projection: 2, version: 3 });
    expect(fold([rebuilt, second, first])).toMatchObject({ projection: 2, version: 3 });
    expect(fold([second, first, second])).toMatchObject({ state: 'completed', version: 8 });
  });

  it('passes over what it cannot read', () => {
    const unreadable = { ...statusRecord({}), value: Buffer.from('oops') };
    const known = latest(undefined, statusRecord({}));

    expect(latest(known, unreadable)).toBe(known);
  });
});
