// Transfers that simply arrive: through each door, and asked for twenty times at once.
import { uuidv7 } from 'uuidv7';
import { endings } from '../axes.ts';
import { Checks } from '../checks.ts';
import type { Story } from '../story.ts';
import { openAccount, orderOf, topicOrderOf, untilEnds, type World } from '../world.ts';
import { checkPaidFor, fundsCents, type Single } from './single-transfer.ts';

const amountCents = 15_000;
const ends = endings.completed;

export const happy: Story = {
  name: 'happy',
  ends,
  async play(world) {
    const checks = new Checks();
    const single = { transferId: uuidv7(), accountId: await openAccount(world, { fundsCents }), amountCents };
    const answer = await world.clients.ledger.requestTransfer(single.transferId, orderOf({ ...single, story: 'happy' }));
    checks.equal('the answer of the ledger', answer.status, 202);
    await untilEnds(world, single.transferId, ends);
    await checkPaidFor(single, world, checks);
    return { transferIds: [single.transferId], complaints: checks.complaints };
  },
};

export const topicRequest: Story = {
  name: 'topic-request',
  ends,
  async play(world) {
    const checks = new Checks();
    const accountId = await openAccount(world, { fundsCents });
    const order = topicOrderOf({ accountId, amountCents, story: 'topic-request' });
    const record = await world.clients.team.record(order);
    // A team that did not hear back sends the stored bytes again.
    await world.clients.team.send([record]);
    await world.clients.team.send([record]);
    await untilEnds(world, order.transferId, ends);
    await checkPaidFor(order, world, checks);
    const transfer = await world.clients.ledger.transfer(order.transferId);
    checks.equal('who asked', transfer?.requestedBy, 'team.acme');
    return { transferIds: [order.transferId], complaints: checks.complaints };
  },
};

const timesAtOnce = 20;

export const sameKey: Story = {
  name: 'same-key',
  ends,
  async play(world) {
    const checks = new Checks();
    const single = { transferId: uuidv7(), accountId: await openAccount(world, { fundsCents }), amountCents };
    await checkSameAnswers(single, world, checks);
    await untilEnds(world, single.transferId, ends);
    await checkPaidFor(single, world, checks);
    const other = { ...orderOf({ ...single, story: 'same-key' }), amountCents: amountCents + 1 };
    const reused = await world.clients.ledger.requestTransfer(single.transferId, other);
    checks.equal('the same key with other content', [reused.status, reused.body.code], [422, 'idempotency_key_reused']);
    return { transferIds: [single.transferId], complaints: checks.complaints };
  },
};

async function checkSameAnswers(single: Single, world: World, checks: Checks): Promise<void> {
  const order = orderOf({ ...single, story: 'same-key' });
  const asked = Array.from({ length: timesAtOnce }, () => world.clients.ledger.requestTransfer(single.transferId, order));
  const answers = await Promise.all(asked);
  checks.equal('statuses', [...new Set(answers.map(({ status }) => status))], [202]);
  checks.equal('different answers', new Set(answers.map(({ text }) => text)).size, 1);
}
