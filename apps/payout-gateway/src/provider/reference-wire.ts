// docs/provider-reference-wire-format.md, read and written. What cannot be read proves nothing: it is "unknown".
import { type Cents, centsOf, instantFromWire } from '@compasso/kernel';
import { z } from 'zod';
import type { Answer } from '../domain/proof.ts';
import type { HttpResult } from './http-call.ts';
import type { HoldBack, Listed, PayoutOrder, Queried, Submitted } from './provider.port.ts';

const keyTypes = { CPF: 'cpf', CNPJ: 'cnpj', PHONE: 'phone', EMAIL: 'email', EVP: 'evp' } as const;

const code = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/);
const order = z.object({
  id: z.string(),
  status: z.string(),
  amountCents: z.int().min(0),
  payee: z.object({ keyType: z.enum(keyNames()), keyMasked: z.string() }),
  endToEndId: z.string().min(1).max(64),
  updatedAt: z.iso.datetime({ offset: true }),
  failure: z.object({ code }).optional(),
});
const problem = z.object({ code: z.string() });
const page = z.object({ items: z.array(order), nextCursor: z.string().nullable() });

type Order = z.infer<typeof order>;
type Answered = Extract<HttpResult, { kind: 'answered' }>;

export const pathOf = (orderId: string): string => `/v1/payouts/${encodeURIComponent(orderId)}`;

/** The same bytes for the same order, whenever it is sent. */
export function bodyOf({ amountCents, keyType, key }: PayoutOrder): string {
  return JSON.stringify({ amountCents: Number(amountCents), payee: { keyType: keyType.toUpperCase(), key } });
}

export function readSubmitted(result: HttpResult, orderId: string): Submitted {
  if (result.kind === 'not_started') return { outcome: { kind: 'not_sent', cause: result.cause } };
  if (result.kind === 'lost') return { outcome: { kind: 'unknown', cause: result.cause } };
  const { status } = result;
  if (status === 200 || status === 201) return readAcceptance(result, orderId);
  const holdBack = holdBackOf(result);
  if (holdBack !== undefined) {
    return { outcome: { kind: 'not_sent', cause: holdBack.because, retryAfterMs: holdBack.forMs }, holdBack };
  }
  const said = codeOf(result);
  if (status === 409 && said === 'id_conflict') return { outcome: { kind: 'already_exists' } };
  if (status === 422 && said !== undefined) return { outcome: { kind: 'rejected', code: said } };
  return { outcome: { kind: 'unknown', cause: `http_${status}` } };
}

function readAcceptance(result: Answered, orderId: string): Submitted {
  const read = readOrder(result.body, orderId);
  if (read === undefined) return { outcome: { kind: 'unknown', cause: 'unreadable_answer' } };
  const { kind } = answerOf(read);
  return { outcome: { kind: 'accepted', isFinal: kind === 'paid' || kind === 'failed' } };
}

export function readQueried(result: HttpResult, orderId: string): Queried {
  if (result.kind !== 'answered') return unknown(result.cause);
  const { status } = result;
  if (status === 200) {
    const read = readOrder(result.body, orderId);
    return read === undefined ? unknown('unreadable_answer') : { answer: answerOf(read) };
  }
  // Only the documented sentence means that the order is not there: a proxy's 404 says nothing about orders.
  if (status === 404 && codeOf(result) === 'payout_not_found') return { answer: { kind: 'not_found' } };
  const holdBack = holdBackOf(result);
  return holdBack === undefined
    ? unknown(`http_${status}`)
    : { answer: { kind: 'unknown', cause: holdBack.because }, holdBack };
}

export function readListed(result: HttpResult): Listed {
  if (result.kind !== 'answered') return { kind: 'unknown', cause: result.cause };
  if (result.status !== 200) return { kind: 'unknown', cause: `http_${result.status}` };
  const read = page.safeParse(parse(result.body));
  if (!read.success) return { kind: 'unknown', cause: 'unreadable_answer' };
  const orders = read.data.items.map((item) => ({
    orderId: item.id,
    answer: answerOf(item),
    updatedAt: instantFromWire(item.updatedAt),
  }));
  return { kind: 'page', orders, nextCursor: read.data.nextCursor };
}

const unknown = (cause: string): Queried => ({ answer: { kind: 'unknown', cause } });

function readOrder(body: string, orderId: string): Order | undefined {
  const read = order.safeParse(parse(body));
  // An answer about another order than the one asked about is no answer.
  return read.success && read.data.id.toLowerCase() === orderId.toLowerCase() ? read.data : undefined;
}

function answerOf(read: Order): Answer {
  const seen = {
    amountCents: centsOf(read.amountCents) as Cents,
    destination: { keyType: keyTypes[read.payee.keyType], keyMasked: read.payee.keyMasked },
  };
  switch (read.status) {
    case 'paid':
      return { kind: 'paid', endToEndId: read.endToEndId, ...seen };
    case 'failed':
      // A failure without its code contradicts the format: it is not taken for final.
      return read.failure === undefined
        ? { kind: 'unknown', cause: 'failed_without_code' }
        : { kind: 'failed', code: read.failure.code, ...seen };
    default:
      return { kind: 'processing', ...seen };
  }
}

function holdBackOf({ status, header }: Answered): HoldBack | undefined {
  if (status === 401 || status === 403) return { because: 'credentials_refused' };
  if (status !== 429) return undefined;
  const seconds = /^\d{1,6}$/.exec(header('retry-after') ?? '')?.[0];
  return { because: 'too_many_requests', forMs: seconds === undefined ? undefined : Number(seconds) * 1_000 };
}

function codeOf({ body }: Answered): string | undefined {
  const read = problem.safeParse(parse(body));
  return read.success ? code.safeParse(read.data.code).data : undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Not JSON is one more way of being unreadable.
    return undefined;
  }
}

function keyNames(): [keyof typeof keyTypes, ...(keyof typeof keyTypes)[]] {
  return Object.keys(keyTypes) as [keyof typeof keyTypes];
}
