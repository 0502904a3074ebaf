import { CodedError } from '@compasso/kernel';

/** Everything that talks to a broker ends in time: clients of a dead coordinator otherwise wait for ever. */
export async function withinTime<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new CodedError('kafka_too_slow', 'The broker did not answer in time.', { milliseconds })),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
