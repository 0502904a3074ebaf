// `npm run replay`, inside a process of the service that owns the letters: lists what waits, or replays it through the
// owner's own handlers. What it says names places, reasons and transfers, never what a customer wrote.
import { parseArgs } from 'node:util';
import { CodedError, instantToWire } from '@compasso/kernel';
import type { Logger } from '@compasso/observability';
import { type DatabaseOptions, openDatabase } from '@compasso/postgres';
import { uuidv7 } from 'uuidv7';
import { PostgresUnitOfWork } from './postgres/postgres-unit-of-work.ts';
import type { DeadLetter, DeadLetterFilter } from './shell/letter-list.ts';
import type { ServiceDefinition } from './shell/reaction.ts';
import type { Replayer, ReplayResult } from './shell/replay.ts';
import { pauseBeforeRetry } from './shell/retry-pause.ts';
import { composeReplayer } from './shell/service-shell.ts';

export interface ReplayCommand<Desk> {
  readonly definition: ServiceDefinition<Desk>;
  readonly databaseUrl: string;
  readonly migrations: DatabaseOptions['migrations'];
  /** What was typed after the command's name. */
  readonly words: readonly string[];
  readonly logger: Logger;
  readonly write: (text: string) => void;
}

interface Wish {
  readonly filter: DeadLetterFilter;
  readonly onlyList: boolean;
  readonly json: boolean;
}

/** @returns whether everything that was asked for is replayed. @throws CodedError `replay_of_what` */
export async function replayCommand<Desk>(command: ReplayCommand<Desk>): Promise<boolean> {
  const wish = wishOf(command.words);
  const database = await openDatabase({
    url: command.databaseUrl,
    applicationName: `${command.definition.name}-replay`,
    migrations: command.migrations,
    hotConnectionsMax: 2,
    readConnectionsMax: 1,
  });
  try {
    const unitOfWork = new PostgresUnitOfWork(database.hot);
    const replayer = composeReplayer(command.definition, { unitOfWork, newId: uuidv7, pauseBeforeRetry });
    const letters = (await replayer.list(wish.filter)).map((letter) => ({ letter, shown: onWire(letter) }));
    if (wish.onlyList) {
      tell(command, wish, { letters: letters.map(({ shown }) => shown) });
      return true;
    }
    const results = [];
    for (const { letter, shown } of letters) results.push({ ...shown, ...(await replayOne(replayer, letter, command)) });
    tell(command, wish, { results });
    return results.every(({ remaining }) => remaining === 0);
  } finally {
    await database.close();
  }
}

function wishOf(words: readonly string[]): Wish {
  const { values } = parseArgs({
    args: [...words],
    options: {
      list: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      topic: { type: 'string' },
      partition: { type: 'string' },
      offset: { type: 'string' },
      reason: { type: 'string' },
    },
  });
  const { list, all, json, topic, partition, offset, reason } = values;
  if (!list && !all && reason === undefined && (topic === undefined || partition === undefined || offset === undefined)) {
    throw new CodedError(
      'replay_of_what',
      'Say what to replay: --all, --reason CODE, or --topic T --partition P --offset O. --list shows what waits.',
      {},
    );
  }
  const filter: DeadLetterFilter = {
    topic,
    reason,
    partition: partition === undefined ? undefined : Number(partition),
    offset: offset === undefined ? undefined : BigInt(offset),
  };
  return { filter, onlyList: list, json };
}

/** One that a line before it has taken along is done already. Each replay is an entry of the log. */
async function replayOne<Desk>(
  replayer: Replayer,
  letter: DeadLetter,
  { definition, logger }: ReplayCommand<Desk>,
): Promise<ReplayResult> {
  const { group, topic, partition, offset } = letter;
  const result = await replayer.replay({ group, topic, partition, offset }).catch((error: unknown) => {
    if (error instanceof CodedError && error.code === 'dead_letter_unknown') return { replayed: 0, remaining: 0 };
    throw error;
  });
  const place = { service: definition.name, topic, partition, offset: String(offset) };
  logger.info({ ...place, reason: letter.reason, caseId: letter.caseId, ...result }, 'a dead letter was replayed');
  return result;
}

const onWire = ({ offset, brokerAt, setAsideAt, ...rest }: DeadLetter) => ({
  ...rest,
  offset: String(offset),
  brokerAt: instantToWire(brokerAt),
  setAsideAt: instantToWire(setAsideAt),
});

function tell<Desk>(
  { definition, write }: ReplayCommand<Desk>,
  { json }: Wish,
  said: { readonly letters?: readonly object[]; readonly results?: readonly object[] },
): void {
  if (json) return write(`${JSON.stringify({ service: definition.name, ...said }, undefined, 2)}\n`);
  const rows = said.letters ?? said.results ?? [];
  write(rows.length === 0 ? 'nothing waits\n' : rows.map((row) => `${inWords(row)}\n`).join(''));
}

const inWords = (row: object): string =>
  Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join('  ');
