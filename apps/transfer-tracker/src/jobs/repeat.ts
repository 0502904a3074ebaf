// Work that comes again and again, never twice at once. What fails is tried again at the next turn, and told once: an outage
// of minutes is one line, not hundreds.

export interface Repeating {
  stop(): Promise<void>;
}

export interface RepeatOptions {
  readonly everyMs: number;
  /** Told of the first failure after a success. */
  readonly onError: (error: unknown) => void;
}

export function repeat(work: () => Promise<void>, { everyMs, onError }: RepeatOptions): Repeating {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();
  let failing = false;
  const once = async (): Promise<void> => {
    try {
      await work();
      failing = false;
    } catch (error) {
      if (!failing) onError(error);
      failing = true;
    }
  };
  const again = (): void => {
    if (stopped) return;
    timer = setTimeout(() => (turn = once().finally(again)), everyMs);
  };
  again();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await turn;
    },
  };
}
