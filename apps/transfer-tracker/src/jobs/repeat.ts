// Work that comes again and again, never twice at once. What fails is told and tried again at the next turn.

export interface Repeating {
  stop(): Promise<void>;
}

export interface RepeatOptions {
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

export function repeat(work: () => Promise<void>, { everyMs, onError }: RepeatOptions): Repeating {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();
  const again = (): void => {
    if (stopped) return;
    timer = setTimeout(() => (turn = work().catch(onError).finally(again)), everyMs);
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
