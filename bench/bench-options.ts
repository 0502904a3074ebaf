import { parseArgs } from 'node:util';
import { CodedError } from '@compasso/kernel';

export interface BenchOptions {
  readonly transfers: number;
  /** Transfers before any clock runs: the services and the broker have compiled by then what they do all day. */
  readonly warmUp: number;
  readonly accounts: number;
  /** Open-loop rate of the latency phase, per second, and for how long. */
  readonly rate: number;
  readonly seconds: number;
  /** Of each service. One by default: two cores serve one of each better than two. */
  readonly replicas: number;
  /** The tracker reads all that the others say: one process of it ends last, two cost more at a moderate rate. */
  readonly trackerReplicas: number;
  readonly json: boolean;
}

const wholeNumber = (name: string, text: string, max: number): number => {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0 && value <= max) return value;
  throw new CodedError('option_wrong', `--${name} must be a whole number from 1 to ${max}.`, {});
};

export function benchOptions(): BenchOptions {
  const { values } = parseArgs({
    options: {
      transfers: { type: 'string', default: '20000' },
      'warm-up': { type: 'string', default: '5000' },
      accounts: { type: 'string', default: '200' },
      rate: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '20' },
      replicas: { type: 'string', default: '1' },
      'tracker-replicas': { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
    },
  });
  return {
    transfers: wholeNumber('transfers', values.transfers, 1_000_000),
    warmUp: wholeNumber('warm-up', values['warm-up'], 1_000_000),
    accounts: wholeNumber('accounts', values.accounts, 10_000),
    rate: wholeNumber('rate', values.rate, 10_000),
    seconds: wholeNumber('seconds', values.seconds, 600),
    replicas: wholeNumber('replicas', values.replicas, 4),
    trackerReplicas: wholeNumber('tracker-replicas', values['tracker-replicas'], 4),
    json: values.json,
  };
}
