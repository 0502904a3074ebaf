// The process behind `npm run replay`, the same for every service: its log goes to standard error, because what it was asked
// for goes to standard output, and its exit code says whether all of it is replayed.
import { CodedError } from '@compasso/kernel';
import { createLogger, type Logger } from '@compasso/observability';
import { type ReplayCommand, replayCommand } from './replay-command.ts';
import type { ServiceDefinition } from './shell/reaction.ts';

export interface ReplayProcess<Desk> extends Pick<ReplayCommand<Desk>, 'databaseUrl' | 'migrations'> {
  readonly service: string;
  readonly level: Parameters<typeof createLogger>[0]['level'];
  readonly definitionOf: (logger: Logger) => ServiceDefinition<Desk>;
}

/** Never rejects for what a replay meets: that is said in one line. */
export async function replayProcess<Desk>(options: ReplayProcess<Desk>): Promise<void> {
  const { service, level, databaseUrl, migrations } = options;
  const logger = createLogger({ service, replica: 'replay', level, destination: process.stderr });
  const definition = options.definitionOf(logger);
  try {
    const isDone = await replayCommand({
      definition,
      databaseUrl,
      migrations,
      words: process.argv.slice(2),
      logger,
      write: (text) => void process.stdout.write(text),
    });
    process.exitCode = isDone ? 0 : 1;
  } catch (error) {
    process.stderr.write(`replay: ${error instanceof CodedError ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
