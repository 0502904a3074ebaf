// What the demo says at its end: for programs exactly this object, for people a table.
import type { Judgement } from '@compasso/testing';
import type { Addresses } from '../system/names.ts';
import { axesOf } from './axes.ts';
import type { Outcome } from './story.ts';

export interface DemoReport {
  readonly ok: boolean;
  readonly stories: readonly {
    readonly story: string;
    readonly transferId: string;
    readonly state: string;
    readonly money: string;
    readonly certainty: string;
    readonly attention: string;
    readonly ok: boolean;
  }[];
  readonly invariants: readonly Judgement[];
  readonly addresses: Addresses;
}

export function reportOf(
  outcomes: readonly Outcome[],
  invariants: readonly Judgement[],
  addresses: Addresses,
): DemoReport {
  const stories = outcomes.map((outcome) => {
    const { story, transferId, ok } = outcome;
    return { story, transferId, ...axesOf(outcome), ok };
  });
  const ok = stories.length > 0 && stories.every((one) => one.ok) && invariants.length > 0 && invariants.every((one) => one.ok);
  return { ok, stories, invariants, addresses };
}

const violationsShown = 10;

export function reportInWords(report: DemoReport, outcomes: readonly Outcome[], seconds: number): readonly string[] {
  const kills = outcomes.filter(({ remarks }) => remarks.length > 0);
  return [
    '',
    ...report.stories.map(({ story, ok, state, money, certainty, attention }) =>
      `${ok ? 'ok  ' : 'FAIL'}  ${story.padEnd(24)} ${[state, money, certainty, attention].join(', ')}`,
    ),
    '',
    ...kills.flatMap(({ story, remarks }) => remarks.map((remark, at) => `      ${(at === 0 ? story : '').padEnd(16)} ${remark}`)),
    ...(kills.length > 0 ? [''] : []),
    ...report.invariants.flatMap(invariantInWords),
    '',
    `${report.ok ? 'Everything ended as it should' : 'NOT everything ended as it should'} (${seconds.toFixed(0)} s).`,
  ];
}

function invariantInWords({ id, name, checked, violations, ok }: Judgement): readonly string[] {
  const more = violations.length - violationsShown;
  return [
    `${ok ? 'ok  ' : 'FAIL'}  invariant ${id}: ${name.padEnd(42)} ${String(checked).padStart(7)} checked, ${violations.length} violations`,
    ...violations.slice(0, violationsShown).map((violation) => `        ${violation}`),
    ...(more > 0 ? [`        and ${more} more`] : []),
  ];
}
