// Many transfers on a few accounts, through both doors, so that a kill meets them in every state.
import { uuidv7 } from 'uuidv7';
import { until } from '../../../infra/until.ts';
import { expectStatus } from '../../client/http-peers.ts';
import type { TransferOrder } from '../../client/ledger-client.ts';
import { endings, isSameEnd } from '../axes.ts';
import type { Checks } from '../checks.ts';
import { amountOf, openAccount, orderOf, topicOrderOf, type World } from '../world.ts';

export interface Crowd {
  readonly accountIds: readonly string[];
  readonly transferIds: readonly string[];
  /** Asks over the topic for transfers that the provider takes its time with. */
  sendSlow(count: number): void;
  /** Asks over HTTP, and says it again until it is answered. */
  post(count: number): void;
  /** What is left to be asked for. */
  remaining(): number;
  /** Whether something that was asked for has no answer yet. */
  isAsking(): boolean;
  /** Until every request has its answer. @throws when one gets none. */
  untilAnswered(): Promise<void>;
  untilEnded(withinMs: number): Promise<void>;
  check(checks: Checks): Promise<void>;
}

const accountsMax = 6;
const fundsCents = 10_000_000;
const happyCents = 10_000;
const lookEveryMs = 300;

export async function gatherCrowd(world: World, story: string, size: number): Promise<Crowd> {
  const accounts = Array.from({ length: accountsMax }, () => openAccount(world, { fundsCents }));
  const accountIds = await Promise.all(accounts);
  const amounts = new Map<string, number>();
  const asked = new Map<string, string>();
  const join = (accountId: string, transferId: string, amountCents: number) => {
    amounts.set(transferId, amountCents);
    asked.set(transferId, accountId);
    return `${story}/${asked.size}`;
  };
  const answers: Promise<void>[] = [];
  let unanswered = 0;
  const follow = (answer: Promise<void>) => {
    unanswered += 1;
    const followed = answer.finally(() => (unanswered -= 1));
    // It is awaited later: until then a failure is not lost, only late.
    followed.catch(() => undefined);
    answers.push(followed);
  };
  return {
    accountIds,
    get transferIds() {
      return [...asked.keys()];
    },
    remaining: () => size - asked.size,
    isAsking: () => unanswered > 0,
    untilAnswered: async () => void (await Promise.all(answers)),
    sendSlow(count) {
      const orders = Array.from({ length: count }, (_, at) => {
        const accountId = accountIds[at % accountIds.length]!;
        const order = topicOrderOf({ accountId, amountCents: amountOf('pending-long'), story });
        return { ...order, clientReference: join(accountId, order.transferId, order.amountCents) };
      });
      follow(world.clients.team.request(orders));
    },
    post(count) {
      for (let at = 0; at < count; at += 1) {
        const accountId = accountIds[at % accountIds.length]!;
        const transferId = uuidv7();
        const reference = join(accountId, transferId, happyCents);
        follow(postOne(world, transferId, orderOf({ accountId, amountCents: happyCents, story: reference })));
      }
    },
    untilEnded: (withinMs) => untilCrowdEnded(world, { accountIds, size: () => asked.size, withinMs }),
    check: (checks) => checkCrowd(world, { amounts, asked, checks }),
  };
}

async function postOne({ clients }: World, transferId: string, order: TransferOrder): Promise<void> {
  expectStatus(await clients.ledger.requestTransfer(transferId, order), 202);
}

async function untilCrowdEnded(
  { clients }: World,
  { accountIds, size, withinMs }: { accountIds: readonly string[]; size: () => number; withinMs: number },
): Promise<void> {
  const haveEnded = async () => {
    const transfers = (await Promise.all(accountIds.map((id) => clients.tracker.transfersOf(id)))).flat();
    return transfers.length === size() && transfers.every((one) => isSameEnd(one, endings.completed));
  };
  // Who has not ended by then is named by the look at the end of the story.
  await until(haveEnded, { what: 'the crowd to end', withinMs, everyMs: lookEveryMs }).catch(() => undefined);
}

interface Told {
  readonly amounts: ReadonlyMap<string, number>;
  readonly asked: ReadonlyMap<string, string>;
  readonly checks: Checks;
}

/** One order each that has paid, and the accounts poorer by exactly that. */
async function checkCrowd({ clients }: World, { amounts, asked, checks }: Told): Promise<void> {
  const spent = new Map<string, number>();
  for (const [transferId, accountId] of asked) {
    const amountCents = amounts.get(transferId)!;
    spent.set(accountId, (spent.get(accountId) ?? 0) + amountCents);
    const orders = await clients.simulator.ordersOf(transferId);
    const facts = orders.map((order) => ({ status: order.status, amountCents: order.amountCents }));
    checks.equal(`orders of ${transferId}`, facts, [{ status: 'paid', amountCents }]);
  }
  for (const [accountId, spentCents] of spent) {
    const { availableCents, heldCents } = await clients.ledger.account(accountId);
    checks.equal(`balance of ${accountId}`, { availableCents, heldCents }, { availableCents: fundsCents - spentCents, heldCents: 0 });
  }
}
