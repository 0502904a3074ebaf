// Money is integer centavos of BRL: a bigint inside, a JSON integer on the wire, never a fraction.
import { CodedError } from './coded-error.ts';

declare const cents: unique symbol;

/** Centavos. May be negative in postings; an amount of a transfer is 1 … 999 999 999 999. */
export type Cents = bigint & { readonly [cents]: true };

export const amountCentsMin = 1n as Cents;
/** R$ 9 999 999 999.99: the largest amount that the Pix API can write (10 digits and 2 decimals). */
export const amountCentsMax = 999_999_999_999n as Cents;

export const zeroCents = 0n as Cents;

export const centsOf = (value: bigint | number): Cents => {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new CodedError('cents_not_an_integer', 'Centavos are whole numbers below 2^53.', {});
  }
  return BigInt(value) as Cents;
};

export const minCents = (left: Cents, right: Cents): Cents => (left < right ? left : right);
export const addCents = (left: Cents, right: Cents): Cents => (left + right) as Cents;
export const subtractCents = (left: Cents, right: Cents): Cents => (left - right) as Cents;
export const negateCents = (value: Cents): Cents => -value as Cents;
export const sumCents = (values: Iterable<Cents>): Cents => {
  let total = 0n;
  for (const value of values) total += value;
  return total as Cents;
};

export const isAmountCents = (value: bigint): value is Cents =>
  value >= amountCentsMin && value <= amountCentsMax;

/** The wire form. @throws CodedError `cents_beyond_the_wire` above 2^53 - 1. */
export const centsToWire = (value: Cents): number => {
  const wire = Number(value);
  if (!Number.isSafeInteger(wire)) {
    throw new CodedError('cents_beyond_the_wire', 'A sum does not fit a JSON integer.', {});
  }
  return wire;
};

/** `R$ 1.234,56`, for people only. */
export const formatCents = (value: Cents): string => {
  const digits = (value < 0n ? -value : value).toString().padStart(3, '0');
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, '.');
  return `${value < 0n ? '-' : ''}R$ ${whole},${digits.slice(-2)}`;
};
