/** One relay per service at a time. A second leader can only duplicate, so this need not be perfect, only lively. */
export interface Leadership {
  isLeader(): boolean;
  stop(): Promise<void>;
}

/** For a world with one process per service. */
export const alwaysLeader: Leadership = { isLeader: () => true, stop: async () => undefined };
