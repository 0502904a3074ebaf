// What teams get wrong on their topic: what cannot be read is set aside with a reason and a case, what can be read and not
// be done is answered; the accounts stay as they are, and the next good request goes through.
import {
  decodeMessage,
  encodeHeaders,
  ledgerCommandRefusedV1,
  ledgerEvents,
  sourceOfTeam,
  transferRequestedV1,
} from '@compasso/contracts';
import { openReader } from '@compasso/postgres';
import { eventually } from '@compasso/testing';
import type { IHeaders, Message } from 'kafkajs';
import { uuidv7 } from 'uuidv7';
import { endings } from '../../tools/demo/axes.ts';
import { openAccount, topicOrderOf, untilEnds } from '../../tools/demo/world.ts';
import { runningSources } from '../../tools/verify/running-sources.ts';
import { openTransport } from '../../tools/verify/topic-facts.ts';
import type { Stage } from './stage.ts';

const fundsCents = 50_000;

export function describeBadMessages(stage: () => Stage): void {
  describe('bad messages on a requests topic', () => {
    let accountId: string;
    beforeAll(async () => {
      accountId = await openAccount(stage().world, { fundsCents });
    });

    const order = (amountCents = 1_000) => topicOrderOf({ accountId, amountCents, story: 'bad-message' });
    const good = () => stage().clients.team.record(order());

    it.each(unreadable)('%s is set aside: %s', async (_, reason, spoil) => {
      const { clients, system } = stage();
      const [place] = await clients.team.send([spoil(await good())]);
      const [letter] = await deadLettersAt(system.databaseUrls.ledger, clients.team.topic, {
        partition: place!.partition,
        offset: place!.baseOffset!,
      });
      expect(letter).toMatchObject({ reason, state: 'open' });
      await eventually(async () => (await clients.tracker.openCases()).some(({ caseId }) => caseId === letter!.caseId), {
        because: 'the tracker has an open case for the dead letter',
      });
      await expectUntouched();
    });

    it.each([
      ['an amount of nothing', { amountCents: 0 }],
      ['an amount as text', { amountCents: '1000' }],
      ['no payee', { payee: undefined }],
    ])('%s is answered with a refused command', async (_, changes) => {
      const record = await good();
      const value = JSON.stringify({ ...(JSON.parse(String(record.value)) as object), ...changes });
      await expectAnswer({ ...record, value }, 'request_invalid');
    });

    it('an account that is not there is answered with a refused command', async () => {
      const stranger = { ...order(), accountId: uuidv7() };
      await expectAnswer(await stage().clients.team.record(stranger), 'account_not_found');
    });

    it('the same transfer id with other content is answered with a refused command', async () => {
      const { clients, world } = stage();
      const first = order();
      await clients.team.request([first]);
      await untilEnds(world, first.transferId, endings.completed);
      await clients.ledger.deposit(accountId, uuidv7(), first.amountCents);
      await expectAnswer(await clients.team.record({ ...first, amountCents: 2_000 }), 'transfer_id_reused');
      expect((await clients.ledger.transfer(first.transferId))?.amountCents).toBe(1_000);
    });

    it('the consumer goes on', async () => {
      const { clients, world } = stage();
      const next = order(fundsCents);
      await clients.team.request([next]);
      await untilEnds(world, next.transferId, endings.completed);
      expect(await clients.tracker.transfer(next.transferId)).toMatchObject(endings.completed);
      expect(await clients.ledger.account(accountId)).toMatchObject({ availableCents: 0, heldCents: 0 });
    });

    async function expectUntouched(): Promise<void> {
      const account = await stage().clients.ledger.account(accountId);
      expect(account).toMatchObject({ availableCents: fundsCents, heldCents: 0 });
    }

    async function expectAnswer(record: Message, reason: string): Promise<void> {
      await stage().clients.team.send([record]);
      const commandId = String(record.headers!['ce_id']);
      const answer = await eventually(() => ledgerEventAbout(commandId, stage()), {
        because: 'the ledger has answered the command',
      });
      expect(answer).toMatchObject({ type: ledgerCommandRefusedV1.type, data: { reason } });
      await expectUntouched();
    }
  });
}

type Spoil = (record: Message) => Message;

const withHeaders = (changes: IHeaders): Spoil => (record) => ({ ...record, headers: without({ ...record.headers, ...changes }) });
const without = (headers: IHeaders): IHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));

const otherMajor = transferRequestedV1.type.replace(/v\d+$/, 'v9');

const unreadable: readonly (readonly [string, string, Spoil])[] = [
  ['a value that is no JSON', 'value_undecodable', (record) => ({ ...record, value: 'oops' })],
  ['no value', 'value_missing', (record) => ({ ...record, value: null })],
  ['no key', 'key_missing', (record) => ({ ...record, key: null, partition: 3 })],
  ['a bare array', 'value_not_an_object', (record) => ({ ...record, value: '[]' })],
  ['deep nesting', 'value_too_deep', (record) => ({ ...record, value: `${'{"a":'.repeat(40)}1${'}'.repeat(40)}` })],
  ['another major version', 'version_unsupported', withHeaders({ ce_type: otherMajor })],
  ['no ce_id', 'envelope_header_missing', withHeaders({ ce_id: undefined })],
  ['a malformed ce_time', 'envelope_header_malformed', withHeaders({ ce_time: 'yesterday' })],
  ['another source', 'source_foreign', withHeaders({ ce_source: sourceOfTeam('somebody-else') })],
  ['no headers at all', 'envelope_header_missing', (record) => ({ ...record, headers: {} })],
  ['a subject that is no transfer id', 'subject_malformed', withSubject('order-7')],
];

function withSubject(subject: string): Spoil {
  return withHeaders(
    encodeHeaders({
      id: uuidv7(),
      source: sourceOfTeam('acme'),
      type: transferRequestedV1.type,
      subject,
      time: new Date().toISOString(),
    }),
  );
}

async function ledgerEventAbout(
  subject: string,
  { system }: Stage,
): Promise<{ readonly type: string; readonly data: unknown } | undefined> {
  const transport = openTransport(runningSources(system.directory));
  const found: { type: string; data: unknown }[] = [];
  try {
    await transport.readAll(ledgerEvents.name, async ({ records }) => {
      for (const record of records) {
        const decoded = decodeMessage(record, ledgerEvents);
        if (decoded.kind !== 'event' || decoded.envelope.subject !== subject) continue;
        found.push({ type: decoded.envelope.type, data: decoded.data });
      }
    });
  } finally {
    await transport.close();
  }
  return found[0];
}

interface Letter {
  readonly reason: string;
  readonly state: string;
  readonly caseId: string;
}

/** Where the ledger keeps what it has set aside. */
async function deadLettersAt(
  url: string,
  topic: string,
  { partition, offset }: { readonly partition: number; readonly offset: string },
): Promise<readonly Letter[]> {
  const reader = openReader(url, 'e2e');
  const sql = `select reason, state, case_id as "caseId" from dead_letter where topic = $1 and partition = $2 and "offset" = $3`;
  try {
    return await eventually(
      async () => {
        const { rows } = await reader.query<Letter>(sql, [topic, partition, offset]);
        return rows.length > 0 && rows;
      },
      { because: `the ledger has set aside offset ${offset} of partition ${partition}` },
    );
  } finally {
    await reader.end();
  }
}
