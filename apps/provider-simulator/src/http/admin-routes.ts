// What a real provider does not offer: choosing faults, ending orders by hand, and seeing the
// truth.
import {
  centsToWire,
  type Clock,
  instantOf,
  instantToWire,
  isUuid,
  type NewId,
} from '@compasso/kernel';
import type { ServiceLogger } from '@compasso/runtime';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { faultNames } from '../domain/fault-catalogue.ts';
import { end } from '../domain/payout.decide.ts';
import type { Order, PlannedNotification } from '../domain/payout.ts';
import type { FaultSettings } from '../sqlite/settings-table.ts';
import { noFaults } from '../sqlite/settings-table.ts';
import type { SimulatorStore } from '../sqlite/simulator-store.ts';
import { bytesOf, useRawBodies } from './raw-bodies.ts';
import { jsonOf } from './request-body.ts';
import { cursorOnWire, errorOnWire, orderOnWire, readCursor } from './wire.ts';

export interface AdminRoutesDependencies {
  readonly store: SimulatorStore;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly timeScale: number;
  readonly isAuthorized: (authorization: string | undefined) => boolean;
  readonly logger: Pick<ServiceLogger, 'error'>;
  /** Told of the notifications that an end by hand has planned. */
  readonly onPlanned: (planned: readonly PlannedNotification[]) => void;
}

const bodyBytesMax = 65_536;

const limit = z.coerce.number().int().min(1).max(1_000).default(500);
const payoutId = z.string().refine(isUuid);

const faultsBody = z.strictObject({
  faults: z
    .array(
      z.strictObject({
        fault: z.enum(['none', ...faultNames]),
        payoutIds: z.array(payoutId).max(1_000).optional(),
        share: z.number().min(0).max(1).optional(),
      }),
    )
    .max(100)
    .default([]),
  outage: z.enum(['silence', 'reset', 'error', 'too-many-requests', 'unauthorized']).optional(),
});

const endingBody = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('paid') }),
  z.strictObject({ status: z.literal('failed'), code: z.string().regex(/^[A-Z0-9]{4}$/) }),
]);

const ordersQuery = z.strictObject({
  payoutId: payoutId.optional(),
  cursor: z.string().optional(),
  limit,
});
const liveOrdersQuery = z.strictObject({ after: payoutId.optional(), limit });
const callsQuery = z.strictObject({
  payoutId: payoutId.optional(),
  after: z.coerce.number().int().min(0).default(0),
  limit,
});
const orderPath = z.strictObject({ id: payoutId });

/** A Fastify plugin for the prefix `/admin`. */
export function adminRoutes(dependencies: AdminRoutesDependencies) {
  return async (scope: FastifyInstance): Promise<void> => {
    useRawBodies(scope, bodyBytesMax);
    scope.addHook('onRequest', async (request, reply) => {
      if (dependencies.isAuthorized(request.headers.authorization)) return;
      await reply.code(401).send(errorOnWire('unauthorized'));
    });
    scope.setErrorHandler<FastifyError>(answerErrors(dependencies.logger));
    faultRoutes(scope, dependencies);
    orderRoutes(scope, dependencies);
    scope.get('/calls', (request) => {
      const items = dependencies.store.calls.list(definedOf(callsQuery.parse(request.query)));
      return {
        items: items.map((call) => ({ ...call, at: instantToWire(call.at) })),
        nextAfter: items.at(-1)?.sequence ?? null,
      };
    });
  };
}

function faultRoutes(scope: FastifyInstance, { store }: AdminRoutesDependencies): void {
  const show = ({ rules, outage }: FaultSettings) => ({ faults: rules, outage: outage ?? null });
  const replace = async (settings: FaultSettings) => {
    await store.replaceFaults(settings);
    return show(settings);
  };
  scope.get('/faults', async () => show(store.settings.current));
  scope.put('/faults', (request) => {
    const { faults, outage } = faultsBody.parse(jsonOf(bytesOf(request)));
    return replace({ rules: faults.map(definedOf), ...(outage && { outage }) });
  });
  scope.delete('/faults', () => replace(noFaults));
}

function orderRoutes(scope: FastifyInstance, dependencies: AdminRoutesDependencies): void {
  const { store, clock, newId, timeScale, onPlanned } = dependencies;
  scope.get('/orders', async (request) => {
    const query = ordersQuery.parse(request.query);
    if (query.payoutId)
      return { items: store.orders.ordersOf(query.payoutId).map(orderForAdmin), nextCursor: null };
    return orderPage(store, query);
  });
  scope.get('/live-orders', async (request) => {
    const query = liveOrdersQuery.parse(request.query);
    const items = store.orders.live(query.after ?? '', query.limit);
    return {
      items: items.map((one) => ({ ...one, amountCents: centsToWire(one.amountCents) })),
      nextAfter: items.length === query.limit ? (items.at(-1)?.payoutId ?? null) : null,
    };
  });
  scope.put('/orders/:id/ending', async (request, reply) => {
    const { id } = orderPath.parse(request.params);
    const ending = endingBody.parse(jsonOf(bytesOf(request)));
    const ended = await store.inOneCommit(() => {
      const payout = store.orders.payout(id);
      if (payout.situation !== 'ordered') return undefined;
      const given = { now: clock.now(), newId, timeScale };
      const planned = store.apply(id, end(payout.order, ending, given));
      return { planned, order: store.orders.ordersOf(id)[0] };
    });
    if (!ended?.order) return reply.code(404).send(errorOnWire('payout_not_found'));
    onPlanned(ended.planned);
    return orderForAdmin(ended.order);
  });
}

function orderPage(store: SimulatorStore, query: z.output<typeof ordersQuery>) {
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor);
  const listed = store.orders.list({
    from: instantOf(0),
    to: instantOf(Number.MAX_SAFE_INTEGER),
    limit: query.limit,
    ...(after && { after }),
  });
  const last = listed.length === query.limit ? listed.at(-1)?.position : undefined;
  return {
    items: listed.map(({ order }) => orderForAdmin(order)),
    nextCursor: last ? cursorOnWire(last) : null,
  };
}

/** `live`: it can still pay, or has paid. */
const orderForAdmin = (order: Order) => ({
  ...orderOnWire(order),
  fault: order.fault,
  live: order.progress.status !== 'failed',
  endsAt:
    order.progress.status === 'processing' && order.progress.due
      ? instantToWire(order.progress.due.at)
      : null,
});

const answerErrors =
  (logger: Pick<ServiceLogger, 'error'>) =>
  (error: FastifyError | z.ZodError, _request: FastifyRequest, reply: FastifyReply) => {
    const status = error instanceof z.ZodError ? 400 : (error.statusCode ?? 500);
    if (status >= 500) logger.error({ err: error }, 'an admin call failed');
    return reply
      .code(status)
      .send(errorOnWire(status >= 500 ? 'internal_error' : 'invalid_request'));
  };

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** Zod writes `undefined` for what was left out; our types say that it is absent. */
const definedOf = <T extends object>(value: T): Defined<T> =>
  Object.fromEntries(
    Object.entries(value).filter(([, field]) => field !== undefined),
  ) as Defined<T>;
