// What a person needs to go on playing with the system that the demo left running.
import { uuidv7 } from 'uuidv7';
import type { System } from '../system/system.ts';

export async function invitation({ addresses, processes }: System): Promise<readonly string[]> {
  const [ledger] = addresses.ledger;
  const [tracker] = addresses['transfer-tracker'];
  const account = uuidv7();
  const transfer = uuidv7();
  const post = (path: string, key: string, body: object) =>
    `curl -s ${ledger}${path} -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -H 'idempotency-key: ${key}' -d '${JSON.stringify(body)}'`;
  const payee = { kind: 'key', keyType: 'cpf', key: '52998224725' };
  const limits = { perTransferCents: 1_000_000, dayCents: 1_000_000, nightCents: 1_000_000 };
  return [
    '',
    `${processes().length} processes go on running; npm run status shows them, npm run down stops them.`,
    ...Object.entries(addresses).map(([name, list]) => `  ${name.padEnd(20)} ${list.join('  ')}`),
    '',
    'TOKEN=$(npm run token)',
    post('/v1/accounts', account, { holderKind: 'natural', limits }),
    post(`/v1/accounts/${account}/deposits`, uuidv7(), { amountCents: 100_000 }),
    post('/v1/transfers', transfer, { accountId: account, amountCents: 10_641, payee }),
    `curl -s ${tracker}/v1/transfers/${transfer}/timeline -H "authorization: Bearer $TOKEN"`,
    'npm run verify',
  ];
}
