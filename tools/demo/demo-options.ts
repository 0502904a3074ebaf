import { parseArgs } from 'node:util';
import { CodedError } from '@compasso/kernel';
import type { Story } from './story.ts';

export interface DemoOptions {
  readonly json: boolean;
  /** Leaves the system running for people to play with. */
  readonly keep: boolean;
  readonly stories: readonly Story[];
  readonly transfersPerKill: number;
}

const transfersPerKill = { default: 40, min: 24, max: 2_000 } as const;

/** @throws CodedError `usage` */
export function demoOptions(given: readonly string[], stories: readonly Story[]): DemoOptions {
  const { values } = parseArgs({
    args: [...given],
    options: {
      json: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      story: { type: 'string', multiple: true },
      transfers: { type: 'string', default: String(transfersPerKill.default) },
    },
  });
  return {
    json: values.json,
    keep: values.keep,
    stories: chosenOf(stories, values.story),
    transfersPerKill: countFrom(values.transfers),
  };
}

function chosenOf(stories: readonly Story[], names: readonly string[] | undefined): readonly Story[] {
  if (names === undefined) return stories;
  const unknown = names.find((name) => stories.every((story) => story.name !== name));
  if (unknown !== undefined) {
    const known = stories.map(({ name }) => name).join(', ');
    throw new CodedError('usage', `there is no story "${unknown}"; there are ${known}`);
  }
  return stories.filter(({ name }) => names.includes(name));
}

function countFrom(text: string): number {
  const count = Number(text);
  const { min, max } = transfersPerKill;
  if (Number.isInteger(count) && count >= min && count <= max) return count;
  throw new CodedError('usage', `--transfers is a number from ${min} to ${max}, not ${text}`);
}
