import { centsOf, centsToWire } from '@compasso/kernel';
import type { Limits } from './domain/limits.ts';

/** Limits as callers, events and rows tell them. */
export interface WireLimits {
  readonly perTransferCents: number;
  readonly dayCents: number;
  readonly nightCents: number;
}

export const wireLimits = ({ perTransfer, day, night }: Limits): WireLimits => ({
  perTransferCents: centsToWire(perTransfer),
  dayCents: centsToWire(day),
  nightCents: centsToWire(night),
});

export const limitsFromWire = ({ perTransferCents, dayCents, nightCents }: WireLimits): Limits => ({
  perTransfer: centsOf(perTransferCents),
  day: centsOf(dayCents),
  night: centsOf(nightCents),
});
